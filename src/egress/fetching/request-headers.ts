import { invalid } from "../../model/problem.ts";
import { EgressProblem } from "../egress-problem.ts";
import { isFieldValue, isHopByHop, isToken, type Field } from "../field.ts";

/** Fields that a caller may not set: they would say something else than what was judged, or frame the message. */
const own: ReadonlySet<string> = new Set(["host", "content-length", "expect", "forwarded", "via"]);

const maxFields = 64;
const maxBytes = 16_384;

/**
 * Checks the caller's request headers.
 * @throws Problem `invalid_argument` with the field `headers`
 */
export function checkRequestHeaders(fields: readonly Field[]): void {
  if (fields.length > maxFields) throw invalid("headers", `more than ${maxFields}`);
  let bytes = 0;
  for (const [name, value] of fields) {
    const shown = JSON.stringify(name.slice(0, 60));
    if (!isToken(name)) throw invalid("headers", `${shown} is no field name`);
    if (!isFieldValue(value))
      throw invalid("headers", `the value of ${shown} holds a control character or is not Latin-1`);
    if (isHopByHop(name)) throw invalid("headers", `${shown} belongs to the connection and is not the caller's to set`);
    if (own.has(name.toLowerCase())) throw invalid("headers", `${shown} is not the caller's to set`);
    bytes += name.length + value.length;
  }
  if (bytes > maxBytes) throw invalid("headers", `more than ${maxBytes} bytes`);
}

const refusedMethods: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

/** Checks the method. @throws Problem `invalid_argument` with the field `method` */
export function checkMethod(method: string): void {
  if (!isToken(method) || method.length > 40) throw invalid("method", "it is no method name");
  if (refusedMethods.has(method.toUpperCase())) throw invalid("method", `${method} is refused`);
}

/** The same where the method is no argument of a call. @throws EgressProblem `bad_method` */
export function refuseMethod(method: string): void {
  try {
    checkMethod(method);
  } catch (error) {
    throw new EgressProblem("bad_method", `${JSON.stringify(method.slice(0, 40))} is refused`, { cause: error });
  }
}
