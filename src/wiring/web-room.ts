import { networkInterfaces } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Audit } from "../audit/open-audit.ts";
import { type AbsolutePath, parseAbsolutePath } from "../model/absolute-path.ts";
import { parseAgentId } from "../model/ids.ts";
import { Problem } from "../model/problem.ts";
import type { Route } from "../server/glue/route.ts";
import { localAgent } from "../server/interceptors/identify.ts";
import { loadPage } from "../server/web/page-files.ts";
import { passwordFile } from "../server/web/password-file.ts";
import { hashPassword, newPassword } from "../server/web/password-hash.ts";
import { type RunningWeb, startWeb } from "../server/web/start-web.ts";
import type { Places } from "./places.ts";

/** The page as the start announces it. */
export interface WebRoom extends RunningWeb {
  /** The first password, where this start made it; shown once and kept nowhere. */
  readonly firstPassword: string | undefined;
}

/** What the page needs of the house. */
export interface WebRoomSetup {
  readonly places: Places;
  readonly routes: readonly Route[];
  readonly audit: Audit;
  readonly log: Logger;
  /** Told why there is no page; the log is, too. */
  readonly notice: ((line: string) => void) | undefined;
  /** True where a first password can be shown to a person; otherwise `sallyport web password --reset` makes it. */
  readonly maySayPassword: boolean;
}

/** Where the build puts the page. */
const builtPage = join(import.meta.dirname, "../clients/web/built");

/** Serves the page; undefined where it is off or cannot be served, which keeps nothing else from working. */
export async function openWebRoom(setup: WebRoomSetup): Promise<WebRoom | undefined> {
  const { places, routes, audit, log, maySayPassword } = setup;
  const without = (why: string): undefined => {
    log.warn({ why }, "the page is not served");
    setup.notice?.(`The page is not served: ${why}`);
  };
  const { web } = places.settings;
  if (web === undefined) return undefined;
  const files = loadPage(builtPage);
  const agent = parseAgentId(localAgent);
  if (files.size === 0 || agent === undefined) return without("it is not built; `make setup` builds it");
  const { tls, host, port, exposed, names, idleMs, longestMs } = web;
  const password = passwordFile(passwordPlace(places));
  try {
    const running = await startWeb({
      listen: {
        host,
        port,
        exposed,
        names: [...names, ...(isAny(host) ? ownAddresses() : [])],
        ...(tls === undefined ? {} : { tls }),
      },
      routes,
      files,
      log,
      password,
      times: { idleMs, longestMs },
      note: (change, address) =>
        audit.note({ kind: "note", agent, about: { change: `page: ${change}`, address, channel: "web" } }),
    });
    const isFirst = maySayPassword && password.read() === undefined;
    return { ...running, firstPassword: isFirst ? await resetPassword(places) : undefined };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return without(error.message);
  }
}

/** Puts a new password in the place of the old one, which logs everybody out, and returns it. */
export async function resetPassword(places: Places): Promise<string> {
  const password = newPassword();
  passwordFile(passwordPlace(places)).write(await hashPassword(password));
  return password;
}

function passwordPlace({ state }: Places): AbsolutePath {
  return parseAbsolutePath(join(state, "web-password")) ?? state;
}

function isAny(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
