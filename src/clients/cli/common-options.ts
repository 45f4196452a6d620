import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { InvalidArgumentError, Option, type Command } from "commander";
import { ModeSchema } from "../../gen/sallyport/v1/common_pb.ts";
import type { ConnectionOptions, TlsOptions } from "../client/connection.ts";
import { assertOwnFolder, defaultSocketPath } from "../client/default-socket-path.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import { parseDuration } from "../text/duration.ts";
import { enumWords } from "../text/words.ts";

/** The options that every command takes. */
export interface CommonOptions {
  readonly socket?: string;
  readonly address?: string;
  readonly token?: string;
  readonly tls?: boolean;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly json?: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** The options of commands that act in a session. */
export interface SessionOptions extends CommonOptions {
  readonly session?: string;
  readonly workspace?: string;
  readonly mode?: string;
}

/** Adds where the server is, who calls and how results are printed. */
export function addCommonOptions(command: Command): Command {
  return command
    .option("--json", "print JSON Lines: one object for each result or event")
    .option("--timeout <duration>", "give up after 500ms, 30s, 5m, 1h", durationOption)
    .optionsGroup("Connection:")
    .addOption(new Option("--socket <path>", "the server's unix socket").env("SALLYPORT_SOCKET"))
    .option("--address <host:port>", "the server's TCP address; off the loopback always with TLS")
    .addOption(
      new Option("--token <token>", "bearer token of an agent (better in the environment)").env("SALLYPORT_TOKEN"),
    )
    .option("--tls", "use TLS on the loopback, too")
    .option("--tls-ca <file>", "certificates to trust, PEM")
    .option("--tls-cert <file>", "the client's certificate chain, PEM")
    .option("--tls-key <file>", "the client's private key, PEM");
}

/** Adds the choice of the session. */
export function addSessionOptions(command: Command): Command {
  return command
    .optionsGroup("Session:")
    .option("--session <id>", "act in this session")
    .option("--workspace <folder>", "act in the session `cli` of this folder, opened where needed")
    .addOption(new Option("--mode <mode>", "how asks are settled in the session `cli`").choices(enumWords(ModeSchema)));
}

/** Says how to reach the server. @throws SallyportError `invalid_argument` or `failed_precondition` */
export function connectionOptions(command: Command): ConnectionOptions {
  const options = command.opts<CommonOptions>();
  const token = options.token === undefined || options.token === "" ? {} : { token: options.token };
  if (options.address !== undefined) {
    if (command.getOptionValueSource("socket") === "cli")
      throw new SallyportError("invalid_argument", "give --socket or --address, not both", { field: "address" });
    const tls = tlsOptions(options);
    return { address: options.address, ...token, ...(tls === undefined ? {} : { tls }) };
  }
  if (options.socket !== undefined && options.socket !== "") return { socket: resolve(options.socket), ...token };
  const uid = process.getuid?.() ?? 0;
  const socket = defaultSocketPath({ runtimeDirectory: process.env["XDG_RUNTIME_DIR"], uid });
  assertOwnFolder(socket, uid);
  return { socket, ...token };
}

function tlsOptions({ tls, tlsCa, tlsCert, tlsKey }: CommonOptions): TlsOptions | undefined {
  if (tls !== true && tlsCa === undefined && tlsCert === undefined && tlsKey === undefined) return undefined;
  return {
    ...(tlsCa === undefined ? {} : { ca: readFileSync(tlsCa) }),
    ...(tlsCert === undefined ? {} : { cert: readFileSync(tlsCert) }),
    ...(tlsKey === undefined ? {} : { key: readFileSync(tlsKey) }),
  };
}

function durationOption(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined)
    throw new InvalidArgumentError("It must be a duration such as 500ms, 30s, 5m or 1h, 24h at most.");
  return ms;
}
