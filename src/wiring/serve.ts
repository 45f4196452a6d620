import { join, resolve } from "node:path";
import { createClient } from "../clients/client/create-client.ts";
import { parseAbsolutePath } from "../model/absolute-path.ts";
import { invalid, Problem } from "../model/problem.ts";
import { build, type Sallyport } from "../build.ts";
import { parseHostPort } from "../config/address-text.ts";
import { createRedactor } from "../secrets/redactor.ts";
import type { TcpListen } from "../server/listen/listen-on-tcp.ts";
import { secretTexts } from "./credentials.ts";
import { createLog } from "./create-log.ts";
import { createNotices, type Notices } from "./notices.ts";
import { findPlaces, type Places } from "./places.ts";
import { letHeapGrow } from "./stream-memory.ts";

/** What `sallyport serve` takes. */
export interface ServeOptions {
  readonly workspace: string;
  readonly socket?: string;
  readonly listen?: string;
  readonly approve?: boolean;
}

const graceMs = 10_000;

/** Runs a Sallyport until it is told to stop. Returns the exit status. */
export async function serve(options: ServeOptions): Promise<number> {
  // Whatever is made from here on is for its owner alone, also where a library makes it.
  process.umask(0o077);
  letHeapGrow();
  const stop = new AbortController();
  const notices = createNotices();
  let sallyport: Sallyport;
  try {
    const workspace = parseAbsolutePath(resolve(options.workspace));
    if (workspace === undefined) throw invalid("workspace", "is no usable path");
    const places = findPlaces(process.env, options);
    const redactor = createRedactor({ values: secretTexts(places) });
    const logFile = options.approve === true ? join(places.state, "sallyport.log") : undefined;
    const log = createLog(places.settings.logLevel, redactor, logFile);
    const notice = options.approve === true ? (line: string) => notices.say(line) : undefined;
    const tcp = tcpOf(places, options.listen);
    sallyport = await build({
      places,
      workspace,
      tcp,
      redactor,
      log,
      env: process.env,
      ...(notice === undefined ? {} : { notice }),
      // Only a terminal: what is written to a file or a journal stays there.
      maySayPassword: process.stdout.isTTY,
    });
    process.on("SIGHUP", () => sallyport.reload());
    for (const signal of ["SIGTERM", "SIGINT"] as const)
      process.on(signal, () => {
        // The second time somebody is in a hurry.
        if (stop.signal.aborted) process.exit(130);
        stop.abort();
      });
    announce(sallyport, places, logFile);
    void announceSandbox(sallyport.sandbox);
  } catch (error) {
    process.stderr.write(`sallyport: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof Problem && error.code === "invalid_argument" ? 2 : 1;
  }
  await (options.approve === true ? approve(sallyport, notices, stop) : aborted(stop.signal));
  await sallyport.stop(graceMs);
  return 0;
}

function tcpOf({ settings }: Places, listen: string | undefined): TcpListen | undefined {
  const tls = settings.tcp?.tls;
  const address = listen === undefined ? settings.tcp : parseHostPort(listen);
  if (listen !== undefined && address === undefined)
    throw invalid("listen", "must be HOST:PORT, such as 127.0.0.1:7443");
  // Every listener on TCP asks for a token, so there is always authentication.
  return address === undefined
    ? undefined
    : { host: address.host, port: address.port, authentication: true, ...(tls === undefined ? {} : { tls }) };
}

function announce(sallyport: Sallyport, { socket }: Places, logFile: string | undefined): void {
  const entry = join(import.meta.dirname, "../main.ts");
  const lines = [
    `Sallyport serves ${sallyport.workspace}`,
    ...(logFile === undefined ? [] : [`The log is in ${logFile}`]),
    "In a second terminal:",
    `  export SALLYPORT_SOCKET=${quoted(socket)}`,
    `  alias sallyport=${quoted(`${quoted(process.execPath)} ${quoted(entry)}`)}`,
    ...(sallyport.web === undefined ? [] : pageLines(sallyport.web)),
    ...sallyport.addresses.slice(1).map((address) => `Over TCP, with a token: SALLYPORT_ADDRESS=${address}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

function pageLines({ url, firstPassword }: NonNullable<Sallyport["web"]>): string[] {
  return [
    `In a browser: ${url}`,
    firstPassword === undefined
      ? "  (a new password: sallyport web password --reset)"
      : `  with the password ${firstPassword}\n  It is shown this once; \`sallyport web password --reset\` makes another.`,
  ];
}

async function announceSandbox(sandbox: Sallyport["sandbox"]): Promise<void> {
  const { available, name, version, reason } = await sandbox;
  process.stdout.write(
    available ? `Commands run in ${name} ${version}\n` : `Commands are refused, for there is no sandbox: ${reason}\n`,
  );
}

/** A word of POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

async function approve(sallyport: Sallyport, notices: Notices, stop: AbortController): Promise<void> {
  const [socket] = sallyport.addresses;
  if (socket === undefined) return;
  // The prompt library is loaded only where there are prompts.
  const { runApprover } = await import("../clients/approver/run-approver.ts");
  const client = createClient({ socket: socket.replace(/^unix:/, "") });
  try {
    await runApprover({ client, input: process.stdin, output: process.stdout, signal: stop.signal, notices });
  } catch (error) {
    process.stderr.write(`sallyport: ${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    client.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve: done } = Promise.withResolvers<void>();
  if (signal.aborted) done();
  else signal.addEventListener("abort", () => done(), { once: true });
  return promise;
}
