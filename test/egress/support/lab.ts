import { parseAllowRange, type AllowRange } from "../../../src/egress/allow-range.ts";
import { EgressProblem } from "../../../src/egress/egress-problem.ts";
import { createFetcher, type FetcherOptions, type FetchResult } from "../../../src/egress/fetcher.ts";
import { createResolve } from "../../../src/egress/resolve.ts";
import { parseTargetUrl } from "../../../src/egress/target-url.ts";
import type { FetchAction } from "../../../src/model/action.ts";
import type { EntryId, SessionId } from "../../../src/model/ids.ts";
import type { FetchIntent } from "../../../src/model/intent.ts";
import { Permit } from "../../../src/model/permit.ts";
import { Problem } from "../../../src/model/problem.ts";
import { startDns, type DnsServer } from "./dns-server.ts";
import { originAddress, startCanary, startHttp, type Handler, type Listening } from "./servers.ts";
import { testAuthority } from "./certificates.ts";

/** A resolver, an origin, a canary, and the guard's parts that know of them. */
export interface Lab {
  readonly dns: DnsServer;
  readonly origin: Listening;
  readonly canary: Listening;
  /** Requests that the origin saw, as `METHOD url`. */
  readonly seen: string[];
  readonly session: SessionId;
  /** Names that the pretended gate refuses. */
  readonly denied: Set<string>;
  readonly parts: Pick<FetcherOptions, "resolve" | "rules">;
  /** Opens another server's port on the origin's address. */
  readonly open: (port: number) => void;
  readonly setHandler: (handler: Handler) => void;
  /** `http://ok.test:PORT/path`, `ok.test` being a name of the origin. */
  readonly url: (path: string, host?: string) => string;
  readonly close: () => Promise<void>;
}

export async function openLab(): Promise<Lab> {
  const dns = await startDns();
  const seen: string[] = [];
  let handler: Handler = (_request, response) => void response.end("hello");
  const { origin, canary } = await pair((request, response) => {
    seen.push(`${request.method ?? ""} ${request.url ?? ""}`);
    handler(request, response);
  });
  const allow: AllowRange[] = [];
  const open = (port: number) => void allow.push(parseAllowRange(`${originAddress}/32:${port}`));
  open(origin.port);
  for (const name of ["ok.test", "other.test"]) dns.zones.set(name, { addresses: [originAddress] });
  return {
    dns,
    origin,
    canary,
    seen,
    session: "s" as SessionId,
    denied: new Set(),
    parts: {
      resolve: createResolve({ servers: [dns.address], timeoutMs: 400, tries: 1 }),
      rules: { allow, ports: [80, 443], ownAddresses: () => [], ownPorts: () => [] },
    },
    open,
    setHandler: (next) => {
      handler = next;
    },
    url: (path, host = "ok.test") => `http://${host}:${origin.port}${path}`,
    close: async () => {
      await Promise.all([dns.close(), origin.close(), canary.close()]);
    },
  };
}

/** Both on one port, tried until a port is free on both addresses. */
async function pair(handler: Handler): Promise<{ origin: Listening; canary: Listening }> {
  for (;;) {
    const origin = await startHttp(handler);
    const canary = await startCanary(origin.port);
    if (canary !== undefined) return { origin, canary };
    await origin.close();
  }
}

/** Leave as the gate would give it: for the canonical host, unless the name is denied. */
export function admitFetch(lab: Lab, intent: FetchIntent): Permit<FetchAction> {
  const { host, port } = parseTargetUrl(intent.url);
  if (lab.denied.has(host.text)) throw denial(host.text);
  return Permit.issue({ ...intent, session: lab.session, host: host.text, port }, "e" as EntryId);
}

export function denial(host: string): Problem {
  return new Problem("permission_denied", `${host} is denied`, {
    denial: {
      effect: `reach ${host}`,
      ruleId: "user.1",
      source: "user",
      because: "test",
      missing: "a rule",
      next: "ask",
    },
  });
}

/** What a caller who wants this asks for, and nothing special. */
export function fetchIntent(url: string, more: Partial<FetchIntent> = {}): FetchIntent {
  return {
    kind: "fetch",
    url,
    method: "GET",
    headers: [],
    body: undefined,
    maxBytes: 1 << 20,
    timeoutMs: 20_000,
    hop: 0,
    ...more,
  };
}

export interface Fetched {
  readonly status: number;
  readonly text: string;
  readonly result: FetchResult;
}

export type FetchChoices = Partial<FetchIntent> &
  Pick<FetcherOptions, "oversize" | "maxRatio" | "headerTimeoutMs" | "idleTimeoutMs"> & {
    readonly signal?: AbortSignal;
  };

/** Fetches and reads to the end. */
export async function fetchIn(lab: Lab, url: string, choices: FetchChoices = {}): Promise<Fetched> {
  const {
    signal = new AbortController().signal,
    oversize,
    maxRatio,
    headerTimeoutMs,
    idleTimeoutMs,
    ...rest
  } = choices;
  const fetcher = createFetcher({
    ...lab.parts,
    ca: [testAuthority],
    ...(oversize === undefined ? {} : { oversize }),
    ...(maxRatio === undefined ? {} : { maxRatio }),
    ...(headerTimeoutMs === undefined ? {} : { headerTimeoutMs }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
  });
  const intent = fetchIntent(url, rest);
  const result = await fetcher.fetch(admitFetch(lab, intent), async (hop) => admitFetch(lab, hop), signal);
  const parts: Uint8Array[] = [];
  for await (const chunk of result.body) parts.push(chunk);
  return { status: result.status, text: Buffer.concat(parts).toString("utf8"), result };
}

/** The reason that work is refused with; the code where the gate refused; `done` where it was not. */
export async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    if (error instanceof EgressProblem) return error.reason;
    if (error instanceof Problem) return error.code;
    throw error;
  }
}
