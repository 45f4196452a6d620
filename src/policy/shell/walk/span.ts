import type { Walk } from "./walk.ts";

/** A half-open range of UTF-16 units in the outermost text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where a node stands in the outermost text: inside an inline text that is where the text itself stands. */
export function spanOf(node: { readonly pos: number; readonly end: number }, walk: Walk): Span {
  return walk.span ?? { start: node.pos, end: node.end };
}
