import { type BackgroundProcess } from "../../../../gen/sallyport/v1/exec_pb.ts";
import { api } from "../api.ts";
import { bodyOf, fieldsOf, wordOf } from "../parts/record-fields.ts";

/** A command that runs or ran, as a person sees it. */
export interface RunningCommand {
  readonly id: string;
  readonly command: string;
  readonly startedAt: string;
  /** Undefined: a call waits for it. */
  readonly process: BackgroundProcess | undefined;
}

const mostRecords = 200;

/** The commands of a session: those that go on by themselves, and, from the record, those that a call waits for. */
export async function commandsOf(sessionId: string, signal: AbortSignal): Promise<readonly RunningCommand[]> {
  const [{ processes }, { records }] = await Promise.all([
    api.exec.list({ sessionId }, { signal }),
    api.audit.query({ filter: { sessionId }, limit: mostRecords }, { signal }),
  ]);
  const known = new Set(processes.map(({ processId }) => processId));
  const ended = new Set(
    records.filter(({ kind }) => kind === "closed" || kind === "abandoned").map((each) => each.entryId),
  );
  const waited = records
    .filter(({ kind, entryId }) => kind === "opened" && !ended.has(entryId) && !known.has(entryId))
    .flatMap(({ entryId, at, bodyJson }) => {
      const intent = fieldsOf(bodyOf(bodyJson)["intent"]);
      if (intent["kind"] !== "exec") return [];
      return [{ id: entryId, command: commandText(intent["command"]), startedAt: at, process: undefined }];
    });
  return [
    ...waited.toReversed(),
    ...processes.map((process) => ({
      id: process.processId,
      command: process.command,
      startedAt: process.startedAt,
      process,
    })),
  ];
}

/** A recorded command as text. */
export function commandText(command: unknown): string {
  const { argv, text } = fieldsOf(command);
  return Array.isArray(argv) ? argv.map(wordOf).join(" ") : wordOf(text);
}
