import { assignmentShape } from "./assignment-shape.ts";
import { headerShapes } from "./header-shapes.ts";
import type { JsonValue } from "./json-value.ts";
import { knownValues } from "./known-values.ts";
import { mark } from "./mark.ts";
import { pemShape } from "./pem-shape.ts";
import { redactDeep } from "./redact-deep.ts";
import { tokenShapes } from "./token-shapes.ts";
import { triggerTable, type Strike } from "./trigger-table.ts";
import { urlShapes } from "./url-shapes.ts";

/** Strikes secrets out. */
export interface Redactor {
  /** The text with every secret replaced by `[redacted:…]`, which names its shape. Linear in the text's length. */
  redact(text: string): string;
  /** The value as JSON, every string in it redacted; see `redact-deep.ts` for what names add. */
  redactDeep(value: unknown): JsonValue;
}

/** Secrets that are known by their value, beside the shapes that are always known. */
export interface RedactorOptions {
  /** For example what the owner-only `.env` holds. Six characters each at least. */
  readonly values?: readonly string[];
}

/** No shape strikes anything in a shorter text, nor is a known value shorter. */
const shortestSecret = 6;

/** Makes a redactor. @throws Problem `invalid_argument` for a value that is too short to be told from ordinary text. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const known = knownValues(options.values ?? []);
  const table = triggerTable([...tokenShapes, ...headerShapes, ...urlShapes, pemShape, assignmentShape]);
  const redact = (text: string): string => {
    if (text.length < shortestSecret) return text;
    const strikes = [...known.find(text), ...table.find(text)];
    return strikes.length === 0 ? text : replace(text, strikes);
  };
  return { redact, redactDeep: (value) => redactDeep(value, redact) };
}

function replace(text: string, strikes: Strike[]): string {
  // Where two overlap, the one that begins first, or is longer, gives the name.
  strikes.sort((a, b) => a.from - b.from || b.to - a.to);
  let result = "";
  let kept = 0;
  for (const { from, to, id } of strikes) {
    if (to <= kept) continue;
    if (from >= kept) result += text.slice(kept, from) + mark(id);
    kept = to;
  }
  return result + text.slice(kept);
}
