import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createContextValues } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Logger } from "pino";
import { parseAgentId } from "../../model/ids.ts";
import { Problem } from "../../model/problem.ts";
import { type Caller, parseChannel } from "../../model/subject.ts";
import { countCalls } from "../glue/active-calls.ts";
import { type ProvenVisit, visitKey } from "../glue/connect-route.ts";
import type { Route } from "../glue/route.ts";
import { localAgent } from "../interceptors/identify.ts";
import { checkRequest } from "./check-request.ts";
import { listenOnHttp, type WebListen } from "./listen-on-http.ts";
import { createLoginDesk, type LoginDeskSetup } from "./login-desk.ts";
import { offeredToPage } from "./offered.ts";
import { type PageFiles, servePage } from "./page-files.ts";
import { setSecurityHeaders } from "./security-headers.ts";
import { visitCookie } from "./visit-cookie.ts";
import type { Visit } from "./visits.ts";
import { within } from "../within.ts";

/** What the page's server is made of. */
export interface WebSetup extends Pick<LoginDeskSetup, "password" | "times" | "note"> {
  readonly listen: WebListen;
  /** Those of the gRPC server; what the page does not need is left out. */
  readonly routes: readonly Route[];
  readonly files: PageFiles;
  readonly log: Logger;
}

/** A page that is served. */
export interface RunningWeb {
  /** As a browser writes it. */
  readonly url: string;
  readonly port: number;
  /** Shuts down, as `RunningServer.drain`. */
  drain(graceMs: number): Promise<number>;
}

const mebibyte = 1024 * 1024;
const prefix = "/api";
const sweepEveryMs = 5000;
/** Calls of one browser at once. */
const maxCalls = 32;
/** What is left when the grace time is over gets this long to clean up. */
const settleMs = 5000;

/** Serves the page and, for those who are logged in, the API beneath `/api`. @throws Problem `failed_precondition` where it cannot listen. */
export async function startWeb(setup: WebSetup): Promise<RunningWeb> {
  const { listen, routes, files, log, password, times, note } = setup;
  const calls = countCalls();
  const draining = new AbortController();
  const person = loggedIn();
  const visits = new WeakMap<object, ProvenVisit>();
  const busy = new WeakMap<Visit, number>();
  const wiring = {
    log,
    calls,
    draining: draining.signal,
    streamed: () => {},
    identify(): Caller {
      throw new Problem("unauthenticated", "log in first");
    },
  };
  const api = connectNodeAdapter({
    routes(router) {
      for (const route of routes) if (offeredToPage.has(route.method)) route.connect?.(router, wiring);
    },
    requestPathPrefix: prefix,
    contextValues: (request) => createContextValues().set(visitKey, visits.get(request)),
    grpc: false,
    grpcWeb: false,
    // Nothing is unpacked: a small body cannot become a large one.
    acceptCompression: [],
    readMaxBytes: mebibyte,
    binaryOptions: { readUnknownFields: false },
    requireConnectProtocolHeader: true,
  });
  let handle: RequestListener = (_request, response) => void response.destroy();
  const { server, scheme, port, url, hosts } = await listenOnHttp(listen, (request, response) =>
    handle(request, response),
  );
  const cookie = visitCookie(scheme === "https", port);
  const desk = createLoginDesk({ password, times, note, cookie, clock: () => performance.now() });
  handle = (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // Whoever goes away in the middle of a request is no fault of ours: nobody fills the log that way.
      if (request.socket.destroyed) return;
      log.error({ err: error }, "a request of the page failed");
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  };
  const sweeping = setInterval(() => desk.sweep(), sweepEveryMs);
  sweeping.unref();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    setSecurityHeaders(response, scheme === "https");
    const refusal = checkRequest(request, { scheme, hosts });
    if (refusal !== undefined) return refuse(response, refusal.status, refusal.reason);
    if (request.method !== "POST") return servePage(files, request, response);
    const path = request.url ?? "";
    if (await desk.answer(path, request, response)) return;
    const visit = desk.visitOf(request);
    if (visit === undefined) return refuse(response, 401, "log in first");
    const running = busy.get(visit) ?? 0;
    if (running >= maxCalls) return refuse(response, 429, "too many calls at once");
    busy.set(visit, running + 1);
    response.once("close", () => busy.set(visit, (busy.get(visit) ?? 1) - 1));
    visits.set(request, { caller: person, ended: visit.ended });
    api(request, response);
  }

  async function drain(graceMs: number): Promise<number> {
    clearInterval(sweeping);
    server.close();
    server.closeIdleConnections();
    draining.abort(new Problem("unavailable", "the server is shutting down"));
    await within(graceMs, calls.idle());
    const cut = calls.count;
    server.closeAllConnections();
    await within(settleMs, calls.idle());
    return cut;
  }

  let drained: Promise<number> | undefined;
  return {
    url,
    port,
    drain(graceMs) {
      drained ??= drain(graceMs);
      return drained;
    },
  };
}

/** Whoever knows the password: the admin of this machine, on a channel of his own. */
function loggedIn(): Caller {
  const agent = parseAgentId(localAgent);
  const channel = parseChannel("web");
  if (agent === undefined || channel === undefined) throw new Error("a built-in name does not parse");
  return { agent, channel, role: "admin", isAgent: false, tier: "full" };
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  // What was not read of the request would be taken for the next one.
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`${reason}\n`);
}
