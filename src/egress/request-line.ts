import type { SessionId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import { EgressProblem } from "./egress-problem.ts";

/** By which entrance a request came. */
export type Entrance = "connect" | "socks5" | "forward" | "upgrade" | "fetch";

/** What is said of one request on the way out, once it is over: one line, numbers and short words, never a path, a query, a header or a token. */
export interface RequestLine {
  readonly entrance: Entrance;
  /** Undefined for a fetch, whose session its record names. */
  readonly session: SessionId | undefined;
  /** Canonical; empty where the request named none that could be read. */
  readonly host: string;
  readonly port: number;
  /** `deny`: refused by rule, person or guard. `error`: it was not carried out for another reason. */
  readonly verdict: "allow" | "deny" | "error";
  /** `ok`, or why not; see `reason.ts`. */
  readonly reason: string;
  /** The rule that would have refused it, or `ask`, where the agent's mode only reports. */
  readonly wouldRefuse?: string;
  /** The address that was connected to. */
  readonly address?: string;
  readonly method?: string;
  /** True for a request inside a tunnel whose TLS ends at the proxy. */
  readonly intercepted?: boolean;
  /** Names of the secrets that were added to it. */
  readonly credentials?: readonly string[];
  readonly status?: number;
  /** Milliseconds until it was decided, until the name was resolved and the connection stood, and in all. */
  readonly decidedMs?: number;
  readonly connectedMs?: number;
  readonly durationMs: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
}

type Facts = Partial<Omit<RequestLine, "entrance" | "session" | "durationMs" | "verdict" | "reason">>;

/** Gathers what becomes of one request. */
export class RequestTrace {
  readonly #entrance: Entrance;
  readonly #session: SessionId | undefined;
  readonly #emit: ((line: RequestLine) => void) | undefined;
  readonly #started = performance.now();
  #facts: Facts = {};
  #ended = false;

  constructor(entrance: Entrance, session: SessionId | undefined, emit: ((line: RequestLine) => void) | undefined) {
    this.#entrance = entrance;
    this.#session = session;
    this.#emit = emit;
  }

  /** Adds what is known by now. */
  note(facts: Facts): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  /** Whole milliseconds since the request came. */
  get elapsedMs(): number {
    return Math.round(performance.now() - this.#started);
  }

  /** Says the line; only the first end counts. */
  end(facts: Facts = {}, error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#emit?.({
      entrance: this.#entrance,
      session: this.#session,
      host: "",
      port: 0,
      bytesUp: 0,
      bytesDown: 0,
      ...this.#facts,
      ...facts,
      ...verdictOf(error),
      durationMs: this.elapsedMs,
    });
  }
}

function verdictOf(error: unknown): Pick<RequestLine, "verdict" | "reason"> {
  if (error === undefined) return { verdict: "allow", reason: "ok" };
  if (!(error instanceof Problem)) return { verdict: "error", reason: "internal" };
  const reason = error instanceof EgressProblem ? error.reason : error.code;
  return { verdict: error.code === "permission_denied" ? "deny" : "error", reason };
}
