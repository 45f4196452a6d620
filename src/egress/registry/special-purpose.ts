import { parsePrefix, type Prefix } from "./prefix.ts";

/** One row of a registry. */
export interface SpecialBlock {
  readonly prefix: Prefix;
  readonly name: string;
  readonly source: string;
}

/** `PREFIX | name | source`. */
export type Row = readonly [prefix: string, name: string, source: string];

/** Turns rows into blocks, longest prefix first, so that the first hit is the most specific. @throws where a row is malformed. */
export function blocksOf(rows: readonly Row[]): readonly SpecialBlock[] {
  const blocks = rows.map(([text, name, source]): SpecialBlock => {
    const prefix = parsePrefix(text);
    if (prefix === undefined) throw new Error(`malformed registry row: ${text}`);
    return { prefix, name, source };
  });
  return blocks.toSorted((a, b) => b.prefix.bits - a.prefix.bits);
}
