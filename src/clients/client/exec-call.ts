import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ExecExit, ExecStartSchema, RunRequestSchema, RunResponse } from "../../gen/sallyport/v1/exec_pb.ts";
import { commandInit, type ExecCommand } from "./command-init.ts";
import type { Duplex } from "./duplex-call.ts";
import { SallyportError } from "./sallyport-error.ts";

/** A terminal's size in character cells. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** What to run and how; what is absent has the server's default. */
export interface ExecSpec {
  readonly command: ExecCommand;
  readonly sessionId?: string;
  /** Absolute. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** True where `writeStdin` will be used; otherwise the command reads end of file at once. */
  readonly stdin?: boolean;
  /** Runs on a terminal. */
  readonly pty?: TerminalSize;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
}

/** One event of a command: `started` first, `exit` last, each exactly once. */
export type ExecEvent =
  | { readonly kind: "started"; readonly pid: number; readonly entryId: string }
  | { readonly kind: "stdout" | "stderr"; readonly data: Uint8Array }
  | ExecEnd;

/** How a command ended: by its exit status or by a signal. */
export interface ExecEnd {
  readonly kind: "exit";
  readonly code: number | undefined;
  readonly signal: number | undefined;
  readonly durationMs: number;
  /** True where output past the cap was dropped. */
  readonly truncated: boolean;
  /** `timeout` or `memory` where that limit ended it; otherwise empty. */
  readonly limit: string;
  /** Resource use of the command and its children, as in getrusage(2). */
  readonly usage: { readonly userMicros: number; readonly systemMicros: number; readonly maxRssBytes: number };
}

/** A running command. Iterate once for its events: slow reading slows the command, leaving the loop kills it. */
export interface ExecCall extends AsyncIterable<ExecEvent> {
  /** Resolves when there is room for more; false once the command is over. */
  writeStdin(data: Uint8Array): Promise<boolean>;
  /** End of file on standard input. */
  closeStdin(): void;
  resize(size: TerminalSize): void;
  /** Sends a signal to the command's process group. */
  signal(number: number): void;
  /** Kills the command and everything that it started. */
  cancel(): void;
}

type Request = MessageInitShape<typeof RunRequestSchema>;

// The server takes 1 MiB in one message; a quarter keeps the other steps from waiting behind a large one.
const chunkBytes = 256 * 1024;

/** Starts a command on an open Run call. Iterating @throws SallyportError; `permission_denied` with a denial where it was refused */
export function execCall(call: Duplex<Request, RunResponse>, spec: ExecSpec): ExecCall {
  // `send` never rejects: a call that is over drops what is sent and the iteration says why.
  void call.send({ step: { case: "start", value: startOf(spec) } });
  return {
    async writeStdin(data) {
      for (let offset = 0; offset < data.length; offset += chunkBytes) {
        const value = data.subarray(offset, offset + chunkBytes);
        if (!(await call.send({ step: { case: "stdin", value } }))) return false;
      }
      return true;
    },
    closeStdin: () => void call.send({ step: { case: "closeStdin", value: {} } }),
    resize: (size) => void call.send({ step: { case: "resize", value: { ...size } } }),
    signal: (number) => void call.send({ step: { case: "signal", value: number } }),
    cancel: () => call.cancel(),
    async *[Symbol.asyncIterator]() {
      let exited = false;
      for await (const { event } of call) {
        switch (event.case) {
          case "started":
            yield { kind: "started", pid: event.value.pid, entryId: event.value.entryId };
            break;
          case "stdout":
          case "stderr":
            yield { kind: event.case, data: event.value };
            break;
          case "exit":
            exited = true;
            call.end();
            yield endOf(event.value);
            break;
          case undefined:
            break;
        }
      }
      if (!exited)
        throw new SallyportError("data_loss", "the server ended the stream without saying how the command ended");
    },
  };
}

function startOf(spec: ExecSpec): MessageInitShape<typeof ExecStartSchema> {
  return {
    sessionId: spec.sessionId ?? "",
    command: commandInit(spec.command),
    cwd: spec.cwd ?? "",
    env: { ...spec.env },
    stdin: spec.stdin ?? false,
    ...(spec.pty === undefined ? {} : { pty: { ...spec.pty } }),
    timeoutMs: spec.timeoutMs ?? 0,
    maxOutputBytes: BigInt(spec.maxOutputBytes ?? 0),
  };
}

function endOf(exit: ExecExit): ExecEnd {
  const { status } = exit;
  return {
    kind: "exit",
    code: status.case === "code" ? status.value : undefined,
    signal: status.case === "signal" ? status.value : undefined,
    durationMs: Number(exit.durationMs),
    truncated: exit.truncated,
    limit: exit.limit,
    usage: {
      userMicros: Number(exit.usage?.userUs ?? 0n),
      systemMicros: Number(exit.usage?.systemUs ?? 0n),
      maxRssBytes: Number(exit.usage?.maxRssBytes ?? 0n),
    },
  };
}
