import { invalid } from "../../model/problem.ts";

/** RFC 3339 section 5.6, with a mandatory offset. */
const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** A moment; undefined where the text is empty. @throws Problem `invalid_argument`. */
export function decodeTime(field: string, text: string): Date | undefined {
  if (text === "") return undefined;
  const day = text.slice(0, 10);
  const time = new Date(text.toUpperCase());
  // Date takes the 30th of February for the 2nd of March.
  if (!rfc3339.test(text) || Number.isNaN(time.getTime()) || new Date(day).toISOString().slice(0, 10) !== day)
    throw invalid(field, "must be an RFC 3339 time");
  return time;
}
