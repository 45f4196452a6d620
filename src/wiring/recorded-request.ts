import { z } from "zod";
import { type AbsolutePath, parseAbsolutePath } from "../model/absolute-path.ts";
import { capabilities } from "../model/effect.ts";
import { modes, tiers } from "../model/subject.ts";
import type { SessionFolders } from "../model/session.ts";
import type { PastRequest } from "../policy/redecide.ts";

const text = z.string().refine((value) => !/…\[\d+ characters more\]/.test(value), "was cut");
const path = text.transform((value, context): AbsolutePath => {
  const parsed = parseAbsolutePath(value);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: "custom", message: "no absolute path" });
  return z.NEVER;
});
const pathFacts = { path, exact: z.boolean(), spelled: path.exactOptional() };

const effect = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("run"),
    program: text,
    argv: z.array(z.string()),
    text,
    aliases: z.array(text).exactOptional(),
    dynamic: z.boolean().exactOptional(),
    readOnly: z.boolean().exactOptional(),
  }),
  z.object({ kind: z.literal("read"), ...pathFacts }),
  z.object({ kind: z.literal("write"), ...pathFacts }),
  z.object({ kind: z.literal("delete"), ...pathFacts }),
  z.object({
    kind: z.literal("reach"),
    host: text,
    port: z.number(),
    capability: z.enum(["web_fetch", "sandbox_network"]),
    method: text.exactOptional(),
    url: text.exactOptional(),
    foretold: z.literal(true).exactOptional(),
    internal: text.exactOptional(),
  }),
  z.object({ kind: z.literal("use"), capability: z.enum(capabilities), name: text }),
  z.object({
    kind: z.literal("opaque"),
    text,
    why: text,
    cause: z.enum(["syntax", "dynamic", "environment", "decode", "program", "limit", "unread"]),
  }),
]);

const body = z.object({
  subject: z.object({ tier: z.enum(tiers), mode: z.enum(modes), attended: z.boolean() }),
  intent: z.object({ kind: z.string() }),
  findings: z.array(
    z.object({ effect, verdict: z.enum(["allow", "ask", "deny"]), because: z.string(), rules: z.array(z.string()) }),
  ),
});

const placed = z.object({
  folders: z.object({
    workspace: path,
    scopes: z.array(z.object({ root: path, access: z.enum(["ro", "rw"]) })),
  }),
});

/** Reads back the folders that the session of a record had then. Undefined where they are not in it: records of old do not hold them. */
export function recordedFolders(json: string): SessionFolders | undefined {
  const { success, data } = placed.safeParse(valueOf(json));
  if (!success) return undefined;
  const { workspace, scopes } = data.folders;
  return { workspace, scopes: scopes.map((scope) => ({ ...scope, lasts: "session" })) };
}

/** Reads the request back from the JSON of its record. Undefined where it is none, or where the record was cut: half a request cannot be judged. */
export function recordedRequest(json: string): PastRequest | undefined {
  const { success, data } = body.safeParse(valueOf(json));
  if (!success) return undefined;
  const effects = data.findings.map(({ effect: seen, verdict, because, rules }) => {
    // What a tier denies is judged anew; the rest of the program's own denials stand.
    const id = rules.find((rule) => rule.startsWith("hardcoded:") && !rule.startsWith("hardcoded:tier."));
    return verdict === "deny" && id !== undefined
      ? { effect: seen, fixed: { id: id.slice("hardcoded:".length), because } }
      : { effect: seen };
  });
  return { subject: data.subject, effects, byFileService: data.intent.kind !== "exec" };
}

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
