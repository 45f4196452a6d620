import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RunRequestSchema, RunResponse } from "../../gen/sallyport/v1/exec_pb.ts";
import type { Duplex } from "./duplex-call.ts";
import { execEnd, type ExecEnd } from "./exec-end.ts";
import { execStart, type ExecSpec, type TerminalSize } from "./exec-spec.ts";
import { SallyportError } from "./sallyport-error.ts";
import { type ExecStartedEvent, startedEvent } from "./started-event.ts";

/** One event of a command: `started` first, `exit` last, each exactly once. */
export type ExecEvent = ExecStartedEvent | { readonly kind: "stdout" | "stderr"; readonly data: Uint8Array } | ExecEnd;

/** A running command. Iterate once for its events: slow reading slows the command, leaving the loop ends it, unless it was to be kept. */
export interface ExecCall extends AsyncIterable<ExecEvent> {
  /** Resolves when there is room for more; false once the command is over. */
  writeStdin(data: Uint8Array): Promise<boolean>;
  /** End of file on standard input. */
  closeStdin(): void;
  resize(size: TerminalSize): void;
  /** Sends a signal to the command's process group. */
  signal(number: number): void;
  /** Ends the call, and the command with everything that it started, unless it was to be kept. */
  cancel(): void;
}

/** Calls of their own, for what must not wait behind input that the command does not read. */
export interface Aside {
  signal(processId: string, number: number): Promise<unknown>;
  resize(processId: string, size: TerminalSize): Promise<unknown>;
}

type Request = MessageInitShape<typeof RunRequestSchema>;

// The server takes 1 MiB in one message; a quarter keeps the other steps from waiting behind a large one.
const chunkBytes = 256 * 1024;

/** Starts a command on an open Run call. Iterating @throws SallyportError; `permission_denied` with a denial where it was refused */
export function execCall(call: Duplex<Request, RunResponse>, spec: ExecSpec, aside: Aside): ExecCall {
  let processId: string | undefined;
  /** Input that waits for room. */
  let waiting = 0;
  async function send(value: Uint8Array): Promise<boolean> {
    waiting += 1;
    const sent = await call.send({ step: { case: "stdin", value } });
    waiting -= 1;
    return sent;
  }
  // `send` never rejects: a call that is over drops what is sent and the iteration says why.
  void call.send({ step: { case: "start", value: execStart(spec) } });
  return {
    async writeStdin(data) {
      for (let offset = 0; offset < data.length; offset += chunkBytes) {
        const value = data.subarray(offset, offset + chunkBytes);
        if (!(await send(value))) return false;
      }
      return true;
    },
    closeStdin: () => void call.send({ step: { case: "closeStdin", value: {} } }),
    resize(size) {
      if (waiting > 0 && processId !== undefined) aside.resize(processId, size).catch(() => {});
      else void call.send({ step: { case: "resize", value: { ...size } } });
    },
    signal(number) {
      // It may have ended meanwhile, which the iteration says.
      if (waiting > 0 && processId !== undefined) aside.signal(processId, number).catch(() => {});
      else void call.send({ step: { case: "signal", value: number } });
    },
    cancel: () => call.cancel(),
    async *[Symbol.asyncIterator]() {
      let exited = false;
      for await (const { event } of call) {
        switch (event.case) {
          case "started":
            processId = event.value.entryId;
            yield startedEvent(event.value);
            break;
          case "stdout":
          case "stderr":
            yield { kind: event.case, data: event.value };
            break;
          case "exit":
            exited = true;
            call.end();
            yield execEnd(event.value);
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
