import { overridingMethod } from "../../model/overriding-method.ts";
import { EgressProblem } from "../egress-problem.ts";
import type { Field } from "../field.ts";
import type { Credential } from "./credential.ts";

/**
 * Refuses a request that says one method and asks for another, where a credential is added for some methods only: the server would act by the one that nobody looked at.
 * @throws EgressProblem `bad_header`
 */
export function refuseOverride(method: string, fields: readonly Field[], own: readonly Credential[]): void {
  if (own.every(({ methods }) => methods.length === 0)) return;
  const asked = overridingMethod(method, fields);
  if (asked !== undefined)
    throw new EgressProblem("bad_header", "one of its fields asks for another method than the request's");
}
