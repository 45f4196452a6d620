import type { Audit } from "../audit/open-audit.ts";
import type { Permissions, RulePlace } from "../config/permissions.ts";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { parseSessionId } from "../model/ids.ts";
import type { Rule } from "../model/rule.ts";
import type { Session } from "../model/session.ts";
import { broaderRules, type BroaderRule } from "../policy/broader-rules.ts";
import { effectText } from "../policy/effect-text.ts";
import { redecide } from "../policy/redecide.ts";
import { indexRules, type IndexWorld, type RuleIndex } from "../policy/rules/rule-index.ts";
import type { Proposal } from "../server/ports/people.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { innerCaller } from "./inner-caller.ts";
import { recordedRequest } from "./recorded-request.ts";

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

/** Broader rules for those that answers made, each with what else it would have allowed of the recorded past: of requests of sessions that are still open. */
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
      for (const { kind, session, body } of page.records)
        if (kind === "opened" || kind === "refused") look(session, body, found, worlds);
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

interface SessionWorld {
  readonly session: Session;
  readonly now: RuleIndex;
  /** With each proposal, in their order. */
  readonly changed: readonly RuleIndex[];
}

type Worlds = (session: string) => SessionWorld | undefined;

function worldsOf({ permissions, sessions, world }: ProposalParts, found: readonly Candidate[]): Worlds {
  const open = new Map(sessions.list(innerCaller()).map((session) => [session.subject.session, session]));
  const worlds = new Map<string, SessionWorld>();
  return (text) => {
    const id = parseSessionId(text);
    const session = id === undefined ? undefined : open.get(id);
    if (session === undefined) return undefined;
    const known = worlds.get(text);
    if (known !== undefined) return known;
    const rules = [...permissions.rules(session.workspace, session.subject.agent), ...session.rules];
    const place = world(session);
    const made: SessionWorld = {
      session,
      now: indexRules(rules, place),
      changed: found.map((candidate) => indexRules([...rules, ruleOf(candidate)], place)),
    };
    worlds.set(text, made);
    return made;
  };
}

function look(id: string, body: string, found: readonly Candidate[], worlds: Worlds): void {
  const world = worlds(id);
  const past = world === undefined ? undefined : recordedRequest(body);
  if (world === undefined || past === undefined) return;
  const { scopes } = world.session;
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
