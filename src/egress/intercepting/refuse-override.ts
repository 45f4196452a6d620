import { EgressProblem } from "../egress-problem.ts";
import type { Field } from "../field.ts";
import type { Credential } from "./credential.ts";

/** Fields by which usual frameworks take another method than the request's. */
const overrides: ReadonlySet<string> = new Set(["x-http-method-override", "x-http-method", "x-method-override"]);

/**
 * Refuses a request that says one method and asks for another, where a credential is added for some methods only: the server would act by the one that nobody looked at.
 * @throws EgressProblem `bad_header`
 */
export function refuseOverride(fields: readonly Field[], own: readonly Credential[]): void {
  if (own.every(({ methods }) => methods.length === 0)) return;
  const found = fields.find(([name]) => overrides.has(name.toLowerCase().replaceAll("_", "-")));
  if (found !== undefined)
    throw new EgressProblem("bad_header", `${found[0]} asks for another method than the request's`);
}
