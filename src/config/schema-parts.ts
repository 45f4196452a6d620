import { z } from "zod";
import { isHostWithPort } from "./address-text.ts";
import { parseBytes, parseDuration } from "./quantity.ts";

/** A text that is not empty. */
export const text = z.string({ error: "must be a text" }).min(1, "must not be empty");
/** An absolute path, or one below home. */
export const path = text.refine(
  (value) => /^(\/|~\/)/.test(value) && !value.includes("\0"),
  "must be an absolute path, or start with ~/",
);

/** A size in bytes, both bounds included. */
export function bytes(least: number, most: number) {
  return z
    .union([z.string(), z.number()], { error: "must be a size such as 512MiB" })
    .transform((value, context) => bounded(parseBytes(value), least, most, "a size such as 512MiB", context));
}

/** A length of time in milliseconds, both bounds included. */
export function duration(least: number, most: number) {
  return text.transform((value, context) =>
    bounded(parseDuration(value), least, most, "a length of time such as 90s or 5m", context),
  );
}

function bounded(
  value: number | undefined,
  least: number,
  most: number,
  what: string,
  context: z.core.$RefinementCtx,
): number {
  if (value === undefined) context.addIssue({ code: "custom", message: `must be ${what}` });
  else if (value < least || value > most)
    context.addIssue({ code: "custom", message: `must be between ${least} and ${most} (bytes or milliseconds)` });
  else return value;
  return z.NEVER;
}

/** A whole number, both bounds included. */
export function whole(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.int({ error: message }).min(least, message).max(most, message);
}

/** Keys with values; a key that it does not know is refused. */
export function section<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "invalid_type" ? "must be a section with keys" : undefined),
  });
}

/** Where a listener on TCP stands, with the certificate that it needs beyond the loopback. */
export const tcpListener = section({
  address: text.refine(isHostWithPort, "must be HOST:PORT, such as 127.0.0.1:7443"),
  tls: section({ cert: path, key: path }).optional(),
});
