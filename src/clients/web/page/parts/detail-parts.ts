/** One line of a text, and where it begins in the text that marks count in. */
export interface DetailLine {
  readonly text: string;
  readonly start: number;
}

/** A named part of a question's detail, such as the command or the folder. */
export interface DetailPart {
  readonly label: string;
  readonly lines: readonly DetailLine[];
}

/** The bar that the server puts before every line of a part, so that no text can pass for a name. */
const bar = "| ";

/** Takes a question's detail apart. */
export function detailParts(detail: string): readonly DetailPart[] {
  const parts: { label: string; lines: DetailLine[] }[] = [];
  let start = 0;
  for (const line of detail === "" ? [] : detail.split("\n")) {
    const last = parts.at(-1);
    if (line.startsWith(bar) && last !== undefined)
      last.lines.push({ text: line.slice(bar.length), start: start + bar.length });
    else parts.push({ label: line, lines: [] });
    start += line.length + 1;
  }
  return parts;
}
