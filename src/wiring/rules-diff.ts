import type { AuditRecord } from "../gen/sallyport/v1/audit_pb.ts";
import { Access, type Rule as RuleMessage, RuleSourceSchema, VerdictSchema } from "../gen/sallyport/v1/common_pb.ts";
import type { Session as SessionMessage } from "../gen/sallyport/v1/sessions_pb.ts";
import { enumWord } from "../clients/text/words.ts";
import { type FileSource, loadPermissions, toRule } from "../config/load-permissions.ts";
import { ruleSchema } from "../config/permissions-schema.ts";
import type { ConfigText } from "../config/read-config-file.ts";
import { type AbsolutePath, parseAbsolutePath } from "../model/absolute-path.ts";
import type { Settlement } from "../model/decision.ts";
import { Problem } from "../model/problem.ts";
import { type Rule, sources } from "../model/rule.ts";
import { type AgentId, parseAgentId } from "../model/ids.ts";
import type { Scope } from "../model/scope.ts";
import { effectText } from "../policy/effect-text.ts";
import { redecide } from "../policy/redecide.ts";
import { indexRules, type IndexWorld, type RuleIndex } from "../policy/rules/rule-index.ts";
import { recordedFolders, recordedRequest } from "./recorded-request.ts";

/** What a diff is made with. */
export interface DiffParts {
  /** The changed file, and whose rules it would replace. */
  readonly candidate: { readonly text: ConfigText; readonly source: FileSource };
  readonly home: AbsolutePath;
  readonly real: IndexWorld["real"];
  /** A session and the rules that hold for it; undefined where it is closed. */
  session(
    id: string,
  ): Promise<{ readonly session: SessionMessage; readonly rules: readonly RuleMessage[] } | undefined>;
  /** The rules of the files that hold in a workspace for an agent: what is left of a closed session's. */
  fileRules(world: IndexWorld & { readonly workspace: AbsolutePath }, agent: AgentId): readonly Rule[];
}

/** A request that would be decided differently. */
export interface RulesChange {
  readonly kind: "changed";
  readonly before: Settlement["kind"];
  readonly after: Settlement["kind"];
  /** The parts that are judged otherwise, each with its reason. */
  readonly because: readonly string[];
}

/** What a changed file makes of one request. `unknown`: its session is closed, and its record does not say what folders it had. `cut`: its record does not hold all of it. */
export type Difference = RulesChange | { readonly kind: "same" | "unknown" | "cut" };

interface Indexes {
  readonly now: RuleIndex;
  readonly changed: RuleIndex;
}

interface SessionWorld extends Indexes {
  readonly scopes: readonly Scope[];
}

/**
 * Makes the judge of differences. Both sides are judged by the same code over the same recorded effects, so what differs is the rules' doing.
 * @throws ConfigProblem where the changed file is not good.
 */
export function createRulesDiff(parts: DiffParts): (record: AuditRecord) => Promise<Difference> {
  // A broken file is told also where no request would show it.
  const anywhere: IndexWorld = { home: parts.home, workspace: parts.home, real: parts.real };
  loadPermissions(parts.candidate.text, parts.candidate.source, anywhere);
  const open = new Map<string, SessionWorld | undefined>();
  const closed = new Map<string, Indexes>();

  async function worldOf(record: AuditRecord): Promise<SessionWorld | undefined> {
    const { sessionId } = record;
    if (!open.has(sessionId)) {
      const found = await parts.session(sessionId);
      open.set(sessionId, found === undefined ? undefined : sessionWorld(parts, found.session, found.rules));
    }
    return open.get(sessionId) ?? closedWorld(record);
  }

  /** Each record has its own folders, for they change while a session is open; its rules are those of the files. */
  function closedWorld({ agent: name, bodyJson }: AuditRecord): SessionWorld | undefined {
    const folders = recordedFolders(bodyJson);
    const agent = parseAgentId(name);
    if (folders === undefined || agent === undefined) return undefined;
    const { workspace, scopes } = folders;
    const key = `${agent} ${workspace}`;
    let found = closed.get(key);
    if (found === undefined) {
      const world = { home: parts.home, workspace, real: parts.real };
      closed.set(key, (found = indexesOf(parts, world, parts.fileRules(world, agent))));
    }
    return { ...found, scopes };
  }

  return async (record) => {
    const past = recordedRequest(record.bodyJson);
    if (past === undefined) return { kind: "cut" };
    const world = await worldOf(record);
    if (world === undefined) return { kind: "unknown" };
    const before = redecide(past, world.now, world.scopes);
    const after = redecide(past, world.changed, world.scopes);
    if (before.settlement.kind === after.settlement.kind) return { kind: "same" };
    const because = after.decision.findings
      .filter((finding, at) => finding.verdict !== before.decision.findings[at]?.verdict)
      .map(({ effect, verdict, because: why }) => `${effectText(effect)}: ${verdict}, ${why}`);
    return { kind: "changed", before: before.settlement.kind, after: after.settlement.kind, because };
  };
}

function sessionWorld(parts: DiffParts, session: SessionMessage, messages: readonly RuleMessage[]): SessionWorld {
  const workspace = absolute("workspace", session.workspace);
  const world: IndexWorld = { home: parts.home, workspace, real: parts.real };
  // What is part of the program stands in the record with its effect.
  const rules = messages.map(ruleOf).filter((rule) => rule.source !== "hardcoded");
  return {
    ...indexesOf(parts, world, rules),
    scopes: session.scopes.map(({ root, access }) => ({
      root: absolute("scopes", root),
      access: access === Access.READ_WRITE ? "rw" : "ro",
      lasts: "session",
    })),
  };
}

function indexesOf({ candidate: { text, source } }: DiffParts, world: IndexWorld, rules: readonly Rule[]): Indexes {
  const kept = rules.filter((rule) => rule.source !== source);
  return {
    now: indexRules(rules, world),
    changed: indexRules([...kept, ...loadPermissions(text, source, world)], world),
  };
}

function ruleOf(message: RuleMessage): Rule {
  const { success, data } = ruleSchema.safeParse({
    capability: message.capability,
    match: [...message.match],
    ...(message.exclude.length === 0 ? {} : { exclude: [...message.exclude] }),
    ...(message.methods.length === 0 ? {} : { methods: [...message.methods] }),
    effect: enumWord(VerdictSchema, message.effect),
    ...(message.because === "" ? {} : { because: message.because }),
  });
  const source = sources.find((word) => word === enumWord(RuleSourceSchema, message.source));
  if (!success || source === undefined)
    throw new Problem("data_loss", `rule ${message.id}: not a rule that this version knows`);
  return toRule(data, message.id, source, message.origin === "" ? undefined : message.origin);
}

function absolute(field: string, text: string): AbsolutePath {
  const path = parseAbsolutePath(text);
  if (path === undefined) throw new Problem("data_loss", `${field}: the server gave no absolute path`);
  return path;
}
