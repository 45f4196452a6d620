import { invalid } from "../../model/problem.ts";

/** RFC 3339 section 5.6, with a mandatory offset. */
const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** A moment; undefined where the text is empty. @throws Problem `invalid_argument`. */
export function decodeTime(field: string, text: string): Date | undefined {
  if (text === "") return undefined;
  const time = rfc3339.test(text) ? new Date(text.toUpperCase()) : undefined;
  if (time === undefined || Number.isNaN(time.getTime())) throw invalid(field, "must be an RFC 3339 time");
  return time;
}
