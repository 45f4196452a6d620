import type { SallyportClient } from "../../../src/clients/client/create-client.ts";
import type { ExecEnd } from "../../../src/clients/client/exec-end.ts";
import type { ExecStartedEvent } from "../../../src/clients/client/started-event.ts";
import type { ExecSpec } from "../../../src/clients/client/exec-spec.ts";

/** What a command printed and how it ended. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly end: ExecEnd;
  readonly entryId: string;
  /** What ran because a person put it in the place of what was asked for. */
  readonly instead?: ExecStartedEvent["instead"];
}

/** Runs a command over the streaming call and collects everything. @throws SallyportError where it was refused */
export async function runCommand(client: SallyportClient, spec: ExecSpec | string): Promise<CommandResult> {
  const stdout: Uint8Array[] = [];
  const stderr: Uint8Array[] = [];
  let end: ExecEnd | undefined;
  let started: ExecStartedEvent | undefined;
  for await (const event of client.exec(typeof spec === "string" ? { command: { shell: spec } } : spec)) {
    switch (event.kind) {
      case "started":
        started = event;
        break;
      case "stdout":
        stdout.push(event.data);
        break;
      case "stderr":
        stderr.push(event.data);
        break;
      case "exit":
        end = event;
        break;
    }
  }
  if (end === undefined) throw new Error("no exit");
  return {
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
    end,
    entryId: started?.entryId ?? "",
    ...(started?.instead === undefined ? {} : { instead: started.instead }),
  };
}
