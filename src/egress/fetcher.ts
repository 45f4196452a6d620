import type { FetchAction } from "../model/action.ts";
import type { SessionId } from "../model/ids.ts";
import type { FetchIntent } from "../model/intent.ts";
import { Permit } from "../model/permit.ts";
import { Problem } from "../model/problem.ts";
import type { AddressRules } from "./address-rules.ts";
import { startDeadline, type Deadline } from "./deadline.ts";
import { EgressProblem } from "./egress-problem.ts";
import { cappedBody } from "./fetching/capped-body.ts";
import { type Answer, exchange, type ExchangeTimings } from "./fetching/exchange.ts";
import { redirectOf } from "./fetching/redirect.ts";
import { checkMethod, checkRequestHeaders } from "./fetching/request-headers.ts";
import { addCredentials } from "./intercepting/add-credentials.ts";
import type { Interception } from "./intercepting/interception.ts";
import { maskEchoes } from "./intercepting/mask-echoes.ts";
import { refuseOverride } from "./intercepting/refuse-override.ts";
import { sortedCredentials } from "./intercepting/sorted-credentials.ts";
import { refuseStray, refuseStrayIn } from "./intercepting/stray-placeholder.ts";
import { valuesOf, type Field } from "./field.ts";
import { guard } from "./guard.ts";
import type { Meter } from "./meter.ts";
import { type RequestLine, RequestTrace } from "./request-line.ts";
import type { Resolve } from "./resolve.ts";
import { parseTargetUrl, type TargetUrl } from "./target-url.ts";
import type { UpstreamProxy } from "./upstream-proxy.ts";

/** What the fetcher is made of. */
export interface FetcherOptions {
  readonly resolve: Resolve;
  readonly rules: AddressRules;
  /** Milliseconds until one connection must stand, TLS apart. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds until an answer's header must be there, once the request was sent; two minutes where it is not given. */
  readonly headerTimeoutMs?: number;
  /** Milliseconds without a byte of the body; one minute where it is not given. */
  readonly idleTimeoutMs?: number;
  /** PEM certificates that are trusted; undefined: those that come with Node. */
  readonly ca?: readonly string[] | undefined;
  /** The proxy through which every connection goes; undefined: none. */
  readonly upstream?: UpstreamProxy | undefined;
  /** Counts what agents do; undefined: nobody does. */
  readonly meter?: Meter;
  /** Credentials, as the proxy has them; undefined: none. */
  readonly interception?: Pick<Interception, "credentials" | "sort"> | undefined;
  /** The rule that would have refused what was admitted, or `ask`, where the agent's mode only reports. */
  readonly wouldRefuse?: (action: FetchAction) => string | undefined;
  /** Past the size cap: end the body there and say so (the default), or fail. */
  readonly oversize?: "truncate" | "refuse";
  /** Decoded bytes for each byte on the wire, past which a body is a bomb. */
  readonly maxRatio?: number;
  /** Told of each hop once its answer is there, or why there is none. */
  readonly onRequest?: (line: RequestLine) => void;
}

/** One request on the way to the answer. */
export interface Hop {
  readonly url: string;
  /** Address that was judged and connected to, with port. */
  readonly address: string;
  readonly status: number;
  readonly timings: HopTimings;
}

/** How long the steps of a hop took, in milliseconds with fractions. */
export interface HopTimings extends ExchangeTimings {
  /** Until the name was resolved and its addresses judged; next to nothing for an address. */
  readonly dnsMs: number;
}

/** The answer. Read `body` to its end, or call `close`. */
export interface FetchResult {
  readonly status: number;
  /** As received, in order; without Content-Encoding and Content-Length where the body was decoded. */
  readonly headers: readonly Field[];
  /** With the fragment. */
  readonly finalUrl: string;
  /** All requests, the last one included. */
  readonly hops: readonly Hop[];
  /** Decoded bytes. @throws EgressProblem `deadline`, `too_large`, `bomb`, `encoding`, `protocol_error`, `cancelled` */
  readonly body: AsyncIterable<Uint8Array>;
  /** True where the cap ended the body; known once the body ended. */
  readonly truncated: boolean;
  close(): Promise<void>;
}

/** Asks the gate for leave to follow a redirect. @throws Problem where it is refused */
export type NextHop = (hop: FetchIntent) => Promise<Permit<FetchAction>>;

/** Fetches what was admitted. */
export interface Fetcher {
  /**
   * Fetches what the permit names, following five redirects at most, each with a permit of its own.
   * @throws Problem (mostly EgressProblem): see `reason.ts`
   */
  fetch(permit: Permit<FetchAction>, next: NextHop, signal: AbortSignal): Promise<FetchResult>;
}

/** Makes the fetcher. It keeps no state: no pool, no cookies, no cache. */
export function createFetcher(options: FetcherOptions): Fetcher {
  return {
    fetch: async (permit, next, signal) => {
      const first = Permit.redeem(permit, "fetch");
      const deadline = startDeadline(signal, first.timeoutMs);
      try {
        return await follow(first, next, deadline, options);
      } catch (error) {
        deadline.clear();
        throw error;
      }
    },
  };
}

async function follow(
  first: FetchAction,
  next: NextHop,
  deadline: Deadline,
  options: FetcherOptions,
): Promise<FetchResult> {
  const hops: Hop[] = [];
  for (let action = first; ;) {
    const url = judgedUrl(action);
    const answer = await traced(action, url, deadline, options);
    const { address, status, timings } = answer;
    hops.push({ url: url.text, address, status, timings });
    try {
      const redirect = redirectOf(action, url, answer.status, answer.headers);
      if (redirect === undefined) return resultOf(action, url, answer, hops, deadline, options);
      await answer.close();
      action = Permit.redeem(await next(redirect.intent), "fetch");
      if (action.hop !== hops.length) throw new Problem("internal", "the permit is for another hop");
    } catch (error) {
      await answer.close();
      throw error;
    }
  }
}

/** An answer, and how long all took that led to it. */
interface TimedAnswer extends Answer {
  readonly timings: HopTimings;
}

async function traced(
  action: FetchAction,
  url: TargetUrl,
  deadline: Deadline,
  options: FetcherOptions,
): Promise<TimedAnswer> {
  const trace = new RequestTrace("fetch", undefined, options.onRequest);
  trace.note({ host: url.host.text, port: url.port, method: action.method, bytesUp: action.body?.length ?? 0 });
  const wouldRefuse = options.wouldRefuse?.(action);
  if (wouldRefuse !== undefined) trace.note({ wouldRefuse });
  try {
    const answer = await send(action, url, deadline, options, trace);
    trace.end({ status: answer.status, address: answer.address });
    return answer;
  } catch (error) {
    trace.end({}, error);
    throw error;
  }
}

/** The URL, once more through the one parser: it must lead to the host and port that were judged. */
function judgedUrl(action: FetchAction): TargetUrl {
  const url = parseTargetUrl(action.url);
  if (url.host.text !== action.host || url.port !== action.port)
    throw new Problem("internal", `${url.host.text}:${url.port} was not judged, but ${action.host}:${action.port}`);
  return url;
}

async function send(
  action: FetchAction,
  url: TargetUrl,
  deadline: Deadline,
  options: FetcherOptions,
  trace: RequestTrace,
): Promise<TimedAnswer> {
  const { meter } = options;
  const { method, body } = action;
  meter?.begin(action.session);
  meter?.add(action.session, body?.length ?? 0);
  checkMethod(method);
  checkRequestHeaders(action.headers);
  const { own, strange } = sortedCredentials(options.interception, url, method);
  refuseStray(url.text, action.headers, strange);
  refuseStrayIn(body, strange);
  refuseOverride(method, action.headers, own);
  if (own.length > 0) trace.note({ credentials: own.map(({ secret }) => secret) });
  const begun = performance.now();
  const target = await guard(url.host, url.port, options, deadline.signal);
  const dnsMs = performance.now() - begun;
  const { path, fields } = addCredentials({ path: url.path, fields: withDefaults(action.headers) }, own);
  const answer = await exchange({ target, url, path, method, headers: fields, body }, deadline, {
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    ca: options.ca,
    upstream: options.upstream,
    headerTimeoutMs: options.headerTimeoutMs ?? 120_000,
    idleTimeoutMs: options.idleTimeoutMs ?? 60_000,
  });
  const wire = meter === undefined ? answer.wire : metered(answer.wire, action.session, meter);
  return { ...answer, headers: maskEchoes(answer.headers, own), wire, timings: { dnsMs, ...answer.timings } };
}

async function* metered(wire: AsyncIterable<Uint8Array>, session: SessionId, meter: Meter): AsyncGenerator<Uint8Array> {
  for await (const chunk of wire) {
    if (!meter.add(session, chunk.length)) throw new EgressProblem("limit_bytes", "more bytes than a day has");
    yield chunk;
  }
}

function withDefaults(headers: readonly Field[]): readonly Field[] {
  const defaults: readonly Field[] = [
    ["accept", "*/*"],
    ["accept-encoding", "gzip, br, zstd, deflate"],
    ["user-agent", "sallyport"],
  ];
  return [...headers, ...defaults.filter(([name]) => valuesOf(headers, name).length === 0)];
}

function resultOf(
  action: FetchAction,
  url: TargetUrl,
  answer: Answer,
  hops: readonly Hop[],
  deadline: Deadline,
  options: FetcherOptions,
): FetchResult {
  const oversize = options.oversize ?? "truncate";
  const limits = { maxBytes: action.maxBytes, maxRatio: options.maxRatio ?? 200, oversize };
  const bodiless = action.method === "HEAD" || answer.status === 204 || answer.status === 304;
  if (oversize === "refuse" && !bodiless && declaredLength(answer.headers) > action.maxBytes)
    throw new EgressProblem("too_large", `the body is larger than ${action.maxBytes} bytes`);
  const close = async () => {
    deadline.clear();
    await answer.close();
  };
  const codings = bodiless ? [] : valuesOf(answer.headers, "content-encoding");
  const body = cappedBody(answer.wire, codings, limits, close);
  return {
    status: answer.status,
    headers: body.decoded ? answer.headers.filter(([name]) => !describesCoding(name)) : answer.headers,
    finalUrl: url.text + url.fragment,
    hops,
    body: closing(body.chunks, close),
    get truncated() {
      return body.truncated();
    },
    close,
  };
}

/** The body, with its connection closed at its end, however it ends: first of all, since a read that waits ends no other way. */
async function* closing(chunks: AsyncGenerator<Uint8Array>, close: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  } finally {
    await close();
    await chunks.return(undefined);
  }
}

function declaredLength(headers: readonly Field[]): number {
  return Number(valuesOf(headers, "content-length")[0] ?? 0);
}

function describesCoding(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === "content-encoding" || lower === "content-length";
}
