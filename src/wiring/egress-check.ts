import { networkInterfaces } from "node:os";
import { ConfigProblem } from "../config/config-fault.ts";
import { describedWorld } from "../config/case-schema.ts";
import { type LineText, parseEgressLine, type ParsedEgressLine } from "../config/parse-case.ts";
import { type AddressRules, defaultPorts, internalHost } from "../egress/address-rules.ts";
import { type AllowRange, parseAllowRange } from "../egress/allow-range.ts";
import { checkTarget, type TargetCheck } from "../egress/check.ts";
import { createResolve, defaultResolverOptions, type Resolve } from "../egress/resolve.ts";
import type { Intent } from "../model/intent.ts";
import { Problem } from "../model/problem.ts";
import { judgeOffline } from "../policy/offline-judge.ts";

/** What `egress check` is run with. */
export interface EgressCheckOptions {
  /** Ranges that are open beside those of each line, `CIDR` or `CIDR:PORT`. */
  readonly allow: readonly string[];
  /** `ADDRESS` or `ADDRESS:PORT` of a DNS server; undefined: names are not resolved. */
  readonly resolver: string | undefined;
}

/** Judges one line of JSON, or one target as it was typed; returns the object to print. */
export interface EgressCheck {
  line(text: LineText, number: number): Promise<object>;
  target(text: string): Promise<object>;
}

/** Makes the check. It connects to nothing but the DNS server that it is given. @throws Problem `invalid_argument` for a bad range or resolver. */
export function createEgressCheck({ allow, resolver }: EgressCheckOptions): EgressCheck {
  const open = allow.map((range) => parseAllowRange(range, "allow"));
  const resolve =
    resolver === undefined ? undefined : createResolve({ ...defaultResolverOptions, servers: [resolver] });
  const judgeLine = (parsed: ParsedEgressLine): Promise<object> => judge(parsed, open, resolve);
  return {
    async line(text, number) {
      try {
        return await judgeLine(parseEgressLine(text, number));
      } catch (error) {
        if (error instanceof ConfigProblem)
          return { line: number, field: error.faults[0]?.field ?? "", error: error.faults[0]?.message ?? "" };
        if (error instanceof Problem) return { line: number, field: error.field ?? "", error: error.message };
        throw error;
      }
    },
    target: (target) =>
      judgeLine({ line: { target, allow: [], method: "GET", mode: "ask", attended: true }, rules: undefined }),
  };
}

async function judge(
  { line, rules }: ParsedEgressLine,
  open: readonly AllowRange[],
  resolve: Resolve | undefined,
): Promise<object> {
  const guardRules = addressRules([...open, ...line.allow.map((range) => parseAllowRange(range, "allow"))]);
  const named = await checkTarget(line.target, { rules: guardRules, resolve: undefined, method: line.method }, noEnd());
  const words = rules === undefined ? undefined : judgeWords(named, line, rules, guardRules);
  // A name that is refused already is not resolved: the query alone would tell somebody.
  const checked =
    resolve === undefined || named.verdict === "deny" || words?.verdict === "deny"
      ? named
      : await checkTarget(line.target, { rules: guardRules, resolve }, noEnd());
  const head = { ...(line.id === undefined ? {} : { id: line.id }), target: line.target, ...targetFacts(checked) };
  const { addresses, resolved } = checked;
  if (checked.verdict === "deny" || words === undefined || words.verdict === "allow")
    return { ...head, addresses, resolved, verdict: checked.verdict, reason: checked.reason, because: checked.because };
  return { ...head, addresses, resolved, ...words };
}

function targetFacts({ target }: TargetCheck): object {
  if (target === undefined) return {};
  const { host, port, url } = target;
  return { host: host.text, kind: host.kind, port, ...(url === undefined ? {} : { url }) };
}

/** What the rules say of the name, before anything is resolved. */
function judgeWords(
  { target }: TargetCheck,
  { method, mode, attended }: ParsedEgressLine["line"],
  rules: NonNullable<ParsedEgressLine["rules"]>,
  guardRules: AddressRules,
): { verdict: string; reason: string; because: string; rules: readonly string[] } | undefined {
  if (target === undefined) return undefined;
  const { cwd: workspace, home } = describedWorld;
  const guarded = (host: string, port: number): string | undefined => internalHost(host, port, guardRules);
  const situation = { workspace, home, internalHost: guarded, mode, attended, tier: "full", rules } as const;
  const { decision, settlement } = judgeOffline(intentOf(target, method), situation);
  const spoke = decision.findings.flatMap((finding) => finding.rules.map((rule) => rule.id));
  return {
    verdict: settlement.kind,
    reason: spoke.length === 0 ? "no_rule" : "rule",
    because: decision.findings.map((finding) => finding.because).join("; "),
    rules: spoke,
  };
}

function intentOf({ host, port, url }: NonNullable<TargetCheck["target"]>, method: string): Intent {
  return url === undefined
    ? { kind: "connect", host: host.text, port, via: "tunnel" }
    : { kind: "fetch", url, method, headers: [], body: undefined, maxBytes: 0, timeoutMs: 0, hop: 0 };
}

function addressRules(allow: readonly AllowRange[]): AddressRules {
  return {
    allow,
    ports: defaultPorts,
    ownAddresses: () =>
      Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)),
    ownPorts: () => [],
  };
}

/** A DNS query has a deadline of its own. */
function noEnd(): AbortSignal {
  return new AbortController().signal;
}
