import type { AbsolutePath } from "../../model/absolute-path.ts";
import { type CheckSubject, PolicyService } from "../../gen/sallyport/v1/policy_pb.ts";
import type { Intent } from "../../model/intent.ts";
import { invalid } from "../../model/problem.ts";
import type { Session } from "../../model/session.ts";
import type { Caller } from "../../model/subject.ts";
import { isAdmin, requireAdmin } from "../authority.ts";
import { decodeCheckSubject } from "../decode/check-subject.ts";
import { decodePathOr } from "../decode/path.ts";
import { decodeNewRule } from "../decode/rule.ts";
import { decodeName } from "../decode/text.ts";
import type { HandlerOf } from "../glue/handler.ts";
import { type Route, unary } from "../glue/route.ts";
import { provenDoor } from "../glue/wiring.ts";
import type { Ports } from "../ports.ts";
import { replyDenial } from "../reply/reply-denial.ts";
import { replyFault, replyFinding, replyRule } from "../reply/reply-policy.ts";
import { sessionOf } from "../session-of.ts";
import { sourceNumbers, verdictNumbers, wordOf, wordOr } from "../words.ts";

type PolicyRoom = Pick<Ports, "sessions" | "policy" | "parsePath">;

const { check, explain, listRules, addRule, removeRule, test } = PolicyService.method;

const maxCases = 1024;
const maxFaults = 100;
/** In an answer, unlike in a status, a denial may be long. */
const maxDenialText = 65_536;

/** Judging without acting, and the rules. */
export function policyRoutes(room: PolicyRoom): readonly Route[] {
  return [
    unary(provenDoor, check, checkOf(room)),
    unary(provenDoor, explain, explainOf(room)),
    unary(provenDoor, listRules, listOf(room)),
    unary(provenDoor, addRule, addOf(room)),
    unary(provenDoor, removeRule, removeOf(room)),
    unary(provenDoor, test, testOf(room)),
  ];
}

async function asked(
  { sessions, parsePath }: PolicyRoom,
  caller: Caller,
  request: { readonly sessionId: string; readonly subject?: CheckSubject | undefined; readonly cwd: string },
): Promise<{ session: Session; intent: Intent }> {
  const session = await sessionOf(sessions, caller, "session_id", request.sessionId);
  const cwd: AbsolutePath = decodePathOr("cwd", request.cwd, session.workspace);
  return { session, intent: decodeCheckSubject(parsePath, "subject", request.subject, cwd) };
}

function checkOf(room: PolicyRoom): HandlerOf<typeof check> {
  return async (request, { caller }) => {
    const { session, intent } = await asked(room, caller, request);
    const { decision, settlement, denial } = await room.policy.check(session, intent);
    return {
      verdict: verdictNumbers[decision.verdict],
      settled: verdictNumbers[settlement.kind],
      findings: decision.findings.map(replyFinding),
      ...(denial === undefined ? {} : { denial: replyDenial(denial, maxDenialText) }),
    };
  };
}

function explainOf(room: PolicyRoom): HandlerOf<typeof explain> {
  return async (request, { caller }) => {
    const { session, intent } = await asked(room, caller, request);
    const { text, settlement } = await room.policy.explain(session, intent);
    return { text: text, settled: verdictNumbers[settlement.kind] };
  };
}

function listOf({ sessions, policy }: PolicyRoom): HandlerOf<typeof listRules> {
  return async (request, { caller }) => {
    const session = await sessionOf(sessions, caller, "session_id", request.sessionId);
    const source = wordOr("source", sourceNumbers, request.source, undefined);
    const rules = await policy.list(session);
    // Files of other agents and workspaces are among them.
    const faults = isAdmin(caller) ? await policy.faults() : [];
    return {
      rules: rules.filter((rule) => source === undefined || rule.source === source).map(replyRule),
      faults: faults.slice(0, maxFaults).map(replyFault),
    };
  };
}

function addOf({ sessions, policy }: PolicyRoom): HandlerOf<typeof addRule> {
  return async (request, { caller }) => {
    const rule = decodeNewRule("rule", request.rule);
    // A member may make its own session stricter. What is the user's, and whatever allows, is an admin's.
    if (rule.effect === "allow") requireAdmin(caller, "an allow rule");
    if (rule.source !== "session") requireAdmin(caller, "a rule beyond the session");
    const session = await sessionOf(sessions, caller, "session_id", request.sessionId);
    return { rule: replyRule(await policy.add(session, rule, caller)) };
  };
}

function removeOf({ sessions, policy }: PolicyRoom): HandlerOf<typeof removeRule> {
  return async (request, { caller }) => {
    requireAdmin(caller, "removing a rule");
    const source = wordOf("source", sourceNumbers, request.source);
    const id = decodeName("rule_id", request.ruleId);
    const session = await sessionOf(sessions, caller, "session_id", request.sessionId);
    await policy.remove(session, source, id, caller);
    return {};
  };
}

function testOf({ sessions, policy, parsePath }: PolicyRoom): HandlerOf<typeof test> {
  return async (request, { caller, signal }) => {
    if (request.cases.length > maxCases) throw invalid("cases", `more than ${maxCases}`);
    const session = await sessionOf(sessions, caller, "session_id", request.sessionId);
    const cases = request.cases.map(({ subject, expected }, index) => ({
      intent: decodeCheckSubject(parsePath, `cases[${index}].subject`, subject, session.workspace),
      expected: wordOf(`cases[${index}].expected`, verdictNumbers, expected),
    }));
    const results = [];
    for (const { intent, expected } of cases) {
      signal.throwIfAborted();
      const { decision } = await policy.check(session, intent);
      results.push({ verdict: verdictNumbers[decision.verdict], passed: decision.verdict === expected });
    }
    return { results };
  };
}
