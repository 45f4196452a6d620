/** The whole lines in which two texts differ, with some equal ones around them. */
export interface DifferingPart {
  /** Lines before it. */
  readonly line: number;
  readonly old: string;
  readonly now: string;
}

/** Equal lines that are kept on both sides. */
const context = 3;

/** Cuts away what two texts begin and end with, so that what follows costs as much as the difference, not as much as the texts. */
export function differingPart(before: string, after: string): DifferingPart {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before.charCodeAt(head) === after.charCodeAt(head)) head += 1;
  let tail = 0;
  while (
    tail < most - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail += 1;
  const start = linesBack(before, head);
  // The tail as both have it: cut at the same distance from the end.
  const keep = before.length - linesOn(before, before.length - tail);
  return {
    line: count(before, start),
    old: before.slice(start, before.length - keep),
    now: after.slice(start, after.length - keep),
  };
}

/** The start of the line that holds `at`, and of `context` lines before it. */
function linesBack(text: string, at: number): number {
  let start = at;
  for (let line = 0; line <= context; line += 1) {
    const end = line === 0 ? at : start - 1;
    if (end <= 0) return 0;
    start = text.lastIndexOf("\n", end - 1) + 1;
  }
  return start;
}

/** The end of the line in which `at` lies, and of `context` lines after it. */
function linesOn(text: string, at: number): number {
  let end = at;
  for (let line = 0; line <= context; line += 1) {
    const next = text.indexOf("\n", end);
    if (next === -1) return text.length;
    end = next + 1;
  }
  return end;
}

function count(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
