import type { IncomingMessage, ServerResponse } from "node:http";
import { createLoginLimits } from "./login-limits.ts";
import type { PasswordFile } from "./password-file.ts";
import { isPassword } from "./password-hash.ts";
import { readJsonBody } from "./read-body.ts";
import type { VisitCookie } from "./visit-cookie.ts";
import { createVisits, type Visit, type VisitTimes } from "./visits.ts";

/** What happened at the door of the page. */
export type LoginEvent = "login" | "login refused" | "logout" | "logout of all";

/** What a desk is made of. */
export interface LoginDeskSetup {
  readonly password: PasswordFile;
  readonly times: VisitTimes;
  readonly cookie: VisitCookie;
  /** Told before anything is answered. @throws where it cannot be written down: nobody gets in then. */
  readonly note: (event: LoginEvent, address: string) => void;
  /** Milliseconds that never go back. */
  readonly clock: () => number;
}

/** Lets people in and out. */
export interface LoginDesk {
  /** Who makes this request, by the cookie and the page's key together. */
  visitOf(request: IncomingMessage): Visit | undefined;
  /** Answers `/login`, `/visit`, `/logout` and `/logout-all`; false for any other path. */
  answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Logs out whom time or a new password has overtaken. */
  sweep(): void;
}

/** Header with the page's key. Browsers let no other origin send it without asking, so it is also what keeps forged requests away. */
const keyHeader = "x-sallyport-key";
const maxBodyBytes = 1024;
/** Guesses that wait for the one that is being hashed; each takes 128 MiB for a moment. */
const maxWaiting = 4;

/** Makes the desk. */
export function createLoginDesk(setup: LoginDeskSetup): LoginDesk {
  const { password, cookie, times, note, clock } = setup;
  const visits = createVisits(times, clock);
  const limits = createLoginLimits(clock);
  let stamp = password.stamp();
  let hashing: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  function sweep(): void {
    const now = password.stamp();
    if (now !== stamp) {
      stamp = now;
      visits.endAll();
      limits.clear();
    }
    visits.sweep();
  }

  async function isRight(guess: string): Promise<boolean> {
    const kept = password.read();
    if (kept === undefined) return false;
    waiting += 1;
    const turn = hashing.then(() => isPassword(guess, kept));
    hashing = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      waiting -= 1;
    }
  }

  async function login(request: IncomingMessage, response: ServerResponse): Promise<void> {
    sweep();
    const address = request.socket.remoteAddress ?? "";
    const body = await readJsonBody(request, maxBodyBytes);
    if (body === "too-large") return reply(response, 413, { reason: `longer than ${maxBodyBytes} bytes` });
    const guess = body?.["password"];
    if (typeof guess !== "string" || guess === "") return reply(response, 400, { reason: "password: must be a text" });
    if (password.read() === undefined)
      return reply(response, 409, { reason: "there is no password yet: run `sallyport web password --reset`" });
    const waitMs = waiting >= maxWaiting ? 5000 : limits.take(address);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      response.setHeader("retry-after", String(seconds));
      return reply(response, 429, { reason: "too many wrong passwords", retryAfterSeconds: seconds });
    }
    const before = stamp;
    const right = await isRight(guess);
    // A password that was replaced while it was being tried is a wrong one.
    if (!right || before !== password.stamp()) {
      note("login refused", address);
      return reply(response, 401, { reason: "the password is wrong" });
    }
    note("login", address);
    limits.right(address);
    const secrets = visits.open();
    response.setHeader("set-cookie", cookie.set(secrets.cookie, Math.floor(times.longestMs / 1000)));
    reply(response, 200, { key: secrets.key });
  }

  function visitOf(request: IncomingMessage): Visit | undefined {
    sweep();
    const key = request.headers[keyHeader];
    return visits.find(cookie.read(request.headers.cookie), typeof key === "string" ? key : undefined);
  }

  function leave(request: IncomingMessage, response: ServerResponse, all: boolean): void {
    const visit = visitOf(request);
    if (visit === undefined) return reply(response, 401, { reason: "log in first" });
    note(all ? "logout of all" : "logout", request.socket.remoteAddress ?? "");
    if (all) visits.endAll();
    else visits.end(visit);
    response.setHeader("set-cookie", cookie.set("", 0));
    reply(response, 200, {});
  }

  return {
    visitOf,
    sweep,
    async answer(path, request, response) {
      switch (path) {
        case "/login":
          await login(request, response);
          return true;
        case "/visit":
          if (visitOf(request) === undefined) reply(response, 401, { reason: "log in first" });
          else reply(response, 200, {});
          return true;
        case "/logout":
        case "/logout-all":
          leave(request, response, path === "/logout-all");
          return true;
        default:
          return false;
      }
    },
  };
}

function reply(response: ServerResponse, status: number, body: Readonly<Record<string, unknown>>): void {
  // What was not read of the request would be taken for the next one.
  if (status >= 400) response.setHeader("connection", "close");
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(`${JSON.stringify(body)}\n`);
}
