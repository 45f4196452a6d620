import type { AuditRecord } from "../audit/audit-record.ts";
import type { Audit } from "../audit/open-audit.ts";
import type { Permissions, RulePlace } from "../config/permissions.ts";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { parseAgentId } from "../model/ids.ts";
import type { Rule } from "../model/rule.ts";
import type { Scope } from "../model/scope.ts";
import type { Session } from "../model/session.ts";
import { broaderRules, type BroaderRule } from "../policy/broader-rules.ts";
import { effectText } from "../policy/effect-text.ts";
import { redecide } from "../policy/redecide.ts";
import { indexRules, type IndexWorld, type RuleIndex } from "../policy/rules/rule-index.ts";
import type { Proposal } from "../server/ports/people.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { innerCaller } from "./inner-caller.ts";
import { recordedFolders, recordedRequest } from "./recorded-request.ts";

/** What proposals are made of. */
export interface ProposalParts {
  readonly permissions: Permissions;
  readonly sessions: Sessions;
  readonly audit: Pick<Audit, "query">;
  readonly world: (session: Pick<Session, "workspace">) => IndexWorld;
  /** The server's own: proposals are made for its file and the user's. */
  readonly workspace: AbsolutePath;
}

/** Records that are looked at, the newest first. */
const mostRecords = 5000;
const pageSize = 500;
const mostNamed = 100;
const mostProposals = 20;

/** What a proposal would have changed, so far. */
interface Candidate extends BroaderRule {
  readonly named: Set<string>;
}

/**
 * Broader rules for those that answers made, each with what else it would have allowed of the recorded past: also of requests of sessions that
 * are closed, as far as their record says what folders they had.
 */
export function ruleProposals(parts: ProposalParts): (signal: AbortSignal) => Promise<readonly Proposal[]> {
  const { permissions, audit } = parts;

  function candidates(): readonly Candidate[] {
    const files: readonly RulePlace[] = [{ source: "user" }, { source: "workspace", workspace: parts.workspace }];
    return files
      .flatMap((place) => broaderRules(permissions.of(place).filter(isAnswer)))
      .slice(0, mostProposals)
      .map((rule) => ({ ...rule, named: new Set<string>() }));
  }

  return async (signal) => {
    const found = candidates();
    if (found.length === 0) return [];
    const worlds = worldsOf(parts, found);
    let before: number | undefined;
    for (let looked = 0; looked < mostRecords; looked += pageSize) {
      const page = audit.query({ limit: pageSize, ...(before === undefined ? {} : { before }) });
      for (const record of page.records)
        if (record.kind === "opened" || record.kind === "refused") look(record, found, worlds);
      before = page.next;
      if (before === undefined) break;
      // Other requests come first.
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
    return found.map(({ draft, replaces, named }) => ({
      draft,
      replaces,
      wouldHaveAllowed: [...named].slice(0, mostNamed),
      total: named.size,
    }));
  };
}

interface Indexes {
  readonly now: RuleIndex;
  /** With each proposal, in their order. */
  readonly changed: readonly RuleIndex[];
}

interface RecordWorld extends Indexes {
  readonly scopes: readonly Scope[];
}

type Worlds = (record: AuditRecord) => RecordWorld | undefined;

function worldsOf({ permissions, sessions, world }: ProposalParts, found: readonly Candidate[]): Worlds {
  const open = new Map<string, Session>(
    sessions.list(innerCaller()).map((session) => [session.subject.session, session]),
  );
  const made = new Map<string, Indexes>();
  const indexes = (key: string, workspace: AbsolutePath, rules: () => readonly Rule[]): Indexes => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const place = world({ workspace });
    const now = rules();
    const changed = found.map((candidate) => indexRules([...now, ruleOf(candidate)], place));
    const fresh: Indexes = { now: indexRules(now, place), changed };
    made.set(key, fresh);
    return fresh;
  };
  return ({ session: id, agent: name, body }) => {
    const session = open.get(id);
    if (session !== undefined) {
      const { workspace, subject, rules, scopes } = session;
      const all = (): readonly Rule[] => [...permissions.rules(workspace, subject.agent), ...rules];
      return { ...indexes(`session ${id}`, workspace, all), scopes };
    }
    // Its own rules are gone with it; the folders are those of the record.
    const folders = recordedFolders(body);
    const agent = parseAgentId(name);
    if (folders === undefined || agent === undefined) return undefined;
    const { workspace, scopes } = folders;
    return { ...indexes(`${agent} ${workspace}`, workspace, () => permissions.rules(workspace, agent)), scopes };
  };
}

function look(record: AuditRecord, found: readonly Candidate[], worlds: Worlds): void {
  const past = recordedRequest(record.body);
  const world = past === undefined ? undefined : worlds(record);
  if (world === undefined || past === undefined) return;
  const { scopes } = world;
  const before = redecide(past, world.now, scopes).decision.findings;
  for (const [at, candidate] of found.entries()) {
    const index = world.changed[at];
    if (index === undefined) continue;
    for (const [place, finding] of redecide(past, index, scopes).decision.findings.entries())
      if (finding.verdict === "allow" && before[place]?.verdict !== "allow")
        candidate.named.add(effectText(finding.effect));
  }
}

function ruleOf({ draft, replaces }: Candidate): Rule {
  const source = replaces[0]?.source ?? "user";
  return {
    id: `${source}.proposed`,
    source,
    capability: draft.capability,
    match: [draft.match],
    exclude: [],
    effect: "allow",
  };
}

/** What `keepRules` wrote. */
function isAnswer({ because }: Rule): boolean {
  return because?.startsWith("answered by ") === true;
}
