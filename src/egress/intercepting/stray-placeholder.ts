import { Transform } from "node:stream";
import { EgressProblem } from "../egress-problem.ts";
import type { Field } from "../field.ts";
import type { Credential } from "./credential.ts";

/** Bytes of a body that are looked through. */
const lookedAt = 65_536;

/**
 * Finds the placeholder of a credential that is not for this request in its address and headers, Basic authentication decoded. A placeholder is no secret; whoever
 * sends it to another host would have sent the secret.
 * @throws EgressProblem `stray_credential`
 */
export function refuseStray(url: string, fields: readonly Field[], strange: readonly Credential[]): void {
  if (strange.length === 0) return;
  const texts = [url, unescaped(url), ...fields.flatMap(([name, value]) => [name, value, basicOf(value)])];
  for (const credential of strange)
    if (texts.some((text) => text.includes(credential.placeholder))) throw stray(credential);
}

/** The same for a body that is there whole. @throws EgressProblem `stray_credential` */
export function refuseStrayIn(body: Uint8Array | undefined, strange: readonly Credential[]): void {
  if (body === undefined) return;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (const credential of strange) if (bytes.includes(credential.placeholder)) throw stray(credential);
}

/** Passes a body on, unless the placeholder of a strange credential is in its first 64 KiB: then it fails. */
export function strayCheck(strange: readonly Credential[]): Transform {
  let seen = "";
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const more = chunk.subarray(0, lookedAt - seen.length).toString("latin1");
      seen += more;
      const found = more === "" ? undefined : strange.find(({ placeholder }) => seen.includes(placeholder));
      if (found === undefined) done(null, chunk);
      else done(stray(found));
    },
  });
}

function stray({ secret }: Credential): EgressProblem {
  return new EgressProblem("stray_credential", `the placeholder of ${secret} is for another host or request`);
}

function basicOf(value: string): string {
  const found = /^basic\s+(\S+)/i.exec(value)?.[1];
  return found === undefined ? "" : Buffer.from(found, "base64").toString("latin1");
}

function unescaped(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
