import { type AddressRules, objectionToHost } from "./address-rules.ts";
import { type CheckTarget, parseCheckTarget } from "./check-target.ts";
import { EgressProblem } from "./egress-problem.ts";
import { refuseMethod } from "./fetching/request-headers.ts";
import { guard } from "./guard.ts";
import type { Reason } from "./reason.ts";
import type { Resolve } from "./resolve.ts";

/** What the guard says of one target. */
export interface TargetCheck {
  /** Undefined where the text is no target. */
  readonly target: CheckTarget | undefined;
  /** What was judged: the literal address, or what the resolver answered; empty where nothing was resolved. */
  readonly addresses: readonly string[];
  /** False for a name that was not asked for: then only the name and the port were judged. */
  readonly resolved: boolean;
  readonly verdict: "allow" | "deny";
  /** `ok`, or the reason of the refusal. */
  readonly reason: Reason | "ok";
  /** The reason in words; empty for `ok`. */
  readonly because: string;
}

/** What a check works with. */
export interface CheckParts {
  readonly rules: AddressRules;
  /** Undefined: names are not resolved. */
  readonly resolve: Resolve | undefined;
  /** With which a URL is asked for; a host alone is asked for by CONNECT. */
  readonly method?: string;
}

/** Judges a host, an address, `HOST:PORT` or a URL by the code that guards every connection, and connects to nothing. A refused name sends no query. */
export async function checkTarget(text: string, parts: CheckParts, signal: AbortSignal): Promise<TargetCheck> {
  const seen: { target?: CheckTarget; addresses: readonly string[]; resolved: boolean } = {
    addresses: [],
    resolved: false,
  };
  try {
    const target = parseCheckTarget(text);
    seen.target = target;
    if (target.url !== undefined && parts.method !== undefined) refuseMethod(parts.method);
    if (target.host.kind === "address") Object.assign(seen, { addresses: [target.host.text], resolved: true });
    const resolve: Resolve = async (name, until) => {
      const found = (await parts.resolve?.(name, until)) ?? [];
      Object.assign(seen, { addresses: found.map((address) => address.text), resolved: true });
      return found;
    };
    await judge(target, parts.resolve === undefined ? undefined : resolve, parts.rules, signal);
    return { target, ...seen, verdict: "allow", reason: "ok", because: "" };
  } catch (error) {
    if (!(error instanceof EgressProblem)) throw error;
    const { reason, message: because } = error;
    return { ...seen, target: seen.target, verdict: "deny", reason, because };
  }
}

/** @throws EgressProblem for what speaks against it. */
async function judge(
  { host, port }: CheckTarget,
  resolve: Resolve | undefined,
  rules: AddressRules,
  signal: AbortSignal,
): Promise<void> {
  if (resolve !== undefined) return void (await guard(host, port, { resolve, rules }, signal));
  const objection = objectionToHost(host, port, rules);
  if (objection !== undefined) throw new EgressProblem(objection.reason, objection.because);
}
