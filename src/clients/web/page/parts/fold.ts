import type { DetailLine } from "./detail-parts.ts";

/** A text in two parts: what is shown at once, and how much is folded away. */
export interface Folded {
  readonly shown: readonly DetailLine[];
  /** 0: nothing is folded. */
  readonly hiddenLines: number;
  readonly hiddenCharacters: number;
}

const mostLines = 14;
const mostCharacters = 1600;

/** Folds a long text: whole lines while there is room, and the beginning of a line that is too long by itself. */
export function fold(lines: readonly DetailLine[]): Folded {
  const shown: DetailLine[] = [];
  let room = mostCharacters;
  let cut = 0;
  for (const line of lines.slice(0, mostLines)) {
    if (room <= 0) break;
    const text = line.text.slice(0, room).toWellFormed();
    shown.push({ text, start: line.start });
    cut = line.text.length - text.length;
    room -= line.text.length + 1;
  }
  const rest = lines.slice(shown.length);
  return {
    shown,
    hiddenLines: rest.length + (cut > 0 ? 1 : 0),
    hiddenCharacters: cut + rest.reduce((sum, { text }) => sum + text.length + 1, 0),
  };
}

/** A number for a person: `12,345`. */
export function countWords(count: number, one: string, many: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
