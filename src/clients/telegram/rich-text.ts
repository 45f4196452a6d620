/** A run of text in one style. Only ours is plain or bold; everything from elsewhere is `code` or `pre`, in which no client looks for links, names or commands. */
export interface Run {
  readonly text: string;
  readonly style: "plain" | "bold" | "code" | "pre";
}

/** A run of our own words, as they are. */
export function plain(text: string): Run {
  return { text, style: "plain" };
}

/** A run of our own words that stands out. */
export function bold(text: string): Run {
  return { text, style: "bold" };
}

/** A run of somebody's words, on lines of their own. */
export function pre(text: string): Run {
  return { text, style: "pre" };
}

/** An entity of the Bot API: offset and length in UTF-16 units. */
export interface TextEntity {
  readonly type: "bold" | "code" | "pre";
  readonly offset: number;
  readonly length: number;
}

/** A text as the Bot API takes it, without a parse mode that a text could break out of. */
export interface RichText {
  readonly text: string;
  readonly entities: readonly TextEntity[];
}

/** UTF-16 units of a message (Bot API, sendMessage). */
export const longestText = 4096;

/** Puts runs together. */
export function richText(runs: readonly Run[]): RichText {
  const entities: TextEntity[] = [];
  let text = "";
  for (const run of runs) {
    if (run.style !== "plain" && run.text !== "")
      entities.push({ type: run.style, offset: text.length, length: run.text.length });
    text += run.text;
  }
  return { text, entities };
}

/** How many units runs have. */
export function lengthOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { text }) => sum + text.length, 0);
}

/** Where to cut a text so that at most `most` units come before: behind a line where there is one, never inside a surrogate pair. */
export function cutAt(text: string, most: number): number {
  if (text.length <= most) return text.length;
  const line = text.lastIndexOf("\n", most - 1) + 1;
  if (line > most / 2) return line;
  const unit = text.charCodeAt(most - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? most - 1 : most;
}
