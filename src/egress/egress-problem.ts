import { Problem, type ProblemDetail } from "../model/problem.ts";
import { reasons, type Reason } from "./reason.ts";

/** A {@link Problem} of the way out, with its machine-readable reason. */
export class EgressProblem extends Problem {
  readonly reason: Reason;
  /** Seconds after which it may be tried again; undefined: nobody knows. */
  readonly retryAfter: number | undefined;

  constructor(reason: Reason, message: string, detail: ProblemDetail = {}, retryAfter?: number) {
    super(reasons[reason].code, message, detail);
    this.name = "EgressProblem";
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}

/** Where a refusal points: host and port as the caller may see them. */
export interface Refused {
  readonly host: string;
  readonly port: number;
  readonly because: string;
  /** What would have to change, for example a configured range. */
  readonly missing: string;
  readonly next: string;
}

/** A refusal by the guard: no mode, grant or person lifts it, so its source is hardcoded. */
export function refusal(reason: Reason, refused: Refused): EgressProblem {
  const { because, missing, next } = refused;
  return new EgressProblem(reason, because, {
    denial: {
      effect: `reach ${authorityOf(refused.host, refused.port)}`,
      ruleId: `egress.${reason}`,
      source: "hardcoded",
      because,
      missing,
      next,
    },
  });
}

/** `host:port`, an IPv6 literal in brackets (RFC 3986, section 3.2.2). */
export function authorityOf(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
