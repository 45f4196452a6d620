/** Most alternatives that one pattern may stand for. */
const maxAlternatives = 64;

/**
 * Expands `{a,b}`, `{1..9}`, `{a..f}` and nested braces of a file pattern into alternatives. Other braces, or such that are not closed, stay as they are; so do those after a backslash.
 * @throws RangeError where there are more than {@link maxAlternatives}.
 */
export function expandBraces(text: string): string[] {
  const group = firstGroup(text);
  if (group === undefined) return [text];
  const before = text.slice(0, group.start);
  const after = text.slice(group.end + 1);
  const found: string[] = [];
  for (const option of group.options)
    for (const expanded of expandBraces(`${option}${after}`)) {
      found.push(`${before}${expanded}`);
      if (found.length > maxAlternatives)
        throw new RangeError(`a pattern stands for at most ${maxAlternatives} alternatives`);
    }
  return found;
}

function firstGroup(text: string): { start: number; end: number; options: string[] } | undefined {
  for (let start = 0; start < text.length; start += 1) {
    if (text[start] === "\\") start += 1;
    else if (text[start] === "{") {
      const group = readGroup(text, start);
      if (group !== undefined) return { start, ...group };
    }
  }
  return undefined;
}

function readGroup(text: string, start: number): { end: number; options: string[] } | undefined {
  const options: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\\") at += 1;
    else if (char === "{") depth += 1;
    else if (char === "," && depth === 1) {
      options.push(text.slice(from, at));
      from = at + 1;
    } else if (char === "}" && (depth -= 1) === 0) {
      options.push(text.slice(from, at));
      const all = options.length > 1 ? options : readRange(text.slice(from, at));
      return all === undefined ? undefined : { end: at, options: all };
    }
  }
  return undefined;
}

/** The options of `1..9`, `09..11`, `a..f` and `1..9..2`, as bash has them; undefined where it is no range. */
function readRange(text: string): string[] | undefined {
  const [, first, last, by = "1"] =
    /^(-?\d{1,15})\.\.(-?\d{1,15})(?:\.\.-?(\d{1,15}))?$/.exec(text) ??
    /^([A-Za-z])\.\.([A-Za-z])(?:\.\.-?(\d{1,15}))?$/.exec(text) ??
    [];
  if (first === undefined || last === undefined) return undefined;
  const letters = /^[A-Za-z]$/.test(first);
  const [from, to] = letters ? [first.charCodeAt(0), last.charCodeAt(0)] : [Number(first), Number(last)];
  const step = Math.max(1, Number(by));
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > maxAlternatives) throw new RangeError(`a pattern stands for at most ${maxAlternatives} alternatives`);
  const width = [first, last].some((text) => /^-?0\d/.test(text)) ? Math.max(first.length, last.length) : 0;
  return Array.from({ length: count }, (_, at) => {
    const value = from + (to < from ? -step : step) * at;
    return letters ? String.fromCharCode(value) : padded(value, width);
  });
}

function padded(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
}
