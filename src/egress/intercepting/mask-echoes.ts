import type { Field } from "../field.ts";
import type { Credential } from "./credential.ts";

/**
 * Puts the placeholder wherever a header of an answer gives a secret back that was added to the request: a redirect often repeats the query. Whoever follows it sends the placeholder, which becomes the
 * secret again on its own host only, and is refused elsewhere. Bodies are not looked at: a server that shows a secret in one shows it to the sandbox.
 */
export function maskEchoes(fields: readonly Field[], own: readonly Credential[]): readonly Field[] {
  if (own.length === 0) return fields;
  return fields.map(([name, value]): Field => {
    let masked = value;
    for (const { echoes, placeholder } of own)
      for (const echo of echoes) masked = masked.replaceAll(echo, () => placeholder);
    return [name, masked];
  });
}
