import { existsSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import { apiRoutes, completeRoutes } from "../../../src/server/routes.ts";
import { loadPage, type PageFiles } from "../../../src/server/web/page-files.ts";
import { passwordFile } from "../../../src/server/web/password-file.ts";
import { hashPassword } from "../../../src/server/web/password-hash.ts";
import { type RunningWeb, startWeb, type WebSetup } from "../../../src/server/web/start-web.ts";
import { inside, keptLog, sure, temporaryFolder } from "../../server/open-server.ts";
import { smallRooms } from "../../server/rooms.ts";
import { makeQueue, type Queue } from "./queue.ts";

/** The password of every page of these tests. */
export const password = "abcde-fghjk-mnpqr-stuvw-xyz23-45678";

/** A cost that a test can pay often. */
export const smallCost = 2 ** 10;

const built = join(import.meta.dirname, "../../../src/clients/web/built");

/** The page as `make setup` builds it; undefined where it was not built. */
export const builtPage: PageFiles | undefined = existsSync(join(built, "index.html")) ? loadPage(built) : undefined;

/** A page that is served over small rooms, for a test. */
export interface OpenWeb {
  readonly web: RunningWeb;
  readonly url: string;
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  readonly queue: Queue;
  readonly rooms: ReturnType<typeof smallRooms>;
  readonly notes: string[];
  readonly passwordPath: AbsolutePath;
}

/** Serves the page; shut down after the test. */
export async function openWeb(more: Partial<WebSetup> = {}): Promise<OpenWeb> {
  const folder = temporaryFolder();
  const rooms = smallRooms(folder);
  const queue = makeQueue();
  const passwordPath = inside(folder, "web-password");
  const file = passwordFile(passwordPath);
  file.write(await hashPassword(password, smallCost));
  const notes: string[] = [];
  const web = await startWeb({
    listen: { host: "127.0.0.1", port: 0, exposed: false, names: [] },
    routes: completeRoutes(apiRoutes({ ...rooms.ports, approvals: queue.port })),
    files: builtPage ?? new Map(),
    log: keptLog().log,
    password: file,
    times: { idleMs: 3_600_000, longestMs: 7_200_000 },
    note: (event, address) => void notes.push(`${event} ${address}`),
    ...more,
  });
  onTestFinished(async () => void (await web.drain(0)));
  return { web, url: web.url, host: `127.0.0.1:${web.port}`, queue, rooms, notes, passwordPath };
}

/** An answer over HTTP. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends a request as it is, with whatever headers; without `method` a POST, without a body `{}`. */
export function send(
  host: string,
  path: string,
  headers: Readonly<Record<string, string | string[]>> = {},
  { method = "POST", body = "{}" }: { readonly method?: string; readonly body?: string } = {},
): Promise<Answer> {
  const [name = "", port = ""] = host.split(":");
  return new Promise((resolve, reject) => {
    const call = request({ host: name, port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on("error", reject);
    });
    call.on("error", reject);
    call.end(method === "POST" ? body : undefined);
  });
}

/** The headers that the page itself would send. */
export function ownHeaders(host: string): Record<string, string> {
  return {
    host,
    origin: `http://${host}`,
    "sec-fetch-site": "same-origin",
    "content-type": "application/json",
    "connect-protocol-version": "1",
  };
}

/** Logs in and returns the headers of a visit. */
export async function visit(host: string): Promise<Record<string, string>> {
  const answer = await send(host, "/login", ownHeaders(host), { body: JSON.stringify({ password }) });
  const cookie = sure(answer.headers["set-cookie"]?.[0]).split(";", 1).join("");
  const parsed: unknown = JSON.parse(answer.text);
  const key = typeof parsed === "object" && parsed !== null && "key" in parsed ? String(parsed.key) : "";
  return { ...ownHeaders(host), cookie, "x-sallyport-key": key };
}
