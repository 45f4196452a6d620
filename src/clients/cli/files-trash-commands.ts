import { resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import {
  FileKindSchema,
  RestoreResponseSchema,
  TrashEntrySchema,
  type TrashEntry,
} from "../../gen/sallyport/v1/files_pb.ts";
import { visible } from "../text/visible.ts";
import { enumWord } from "../text/words.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { printRows } from "./print-rows.ts";
import { sessionId } from "./session-id.ts";

interface TrashOptions extends SessionOptions {
  readonly limit?: number;
  readonly to?: string;
}

const headings = ["id", "removed", "until", "agent", "kind", "entries", "bytes", "path"];

/** `sallyport files trash`: what was removed, and the way back. */
export function registerFilesTrash(group: Command): void {
  const trash = group
    .command("trash")
    .summary("list and restore what was removed")
    .description("List and restore what was removed.");
  const list = trash
    .command("list", { isDefault: true })
    .description("List what lies in the trash, the last removed first.")
    .option("--limit <count>", "entries at most, up to 10000", entryLimit);
  clientAction(addCommonOptions(list), listTrash);
  const restore = trash
    .command("restore")
    .description("Put back what was removed; nothing that is there is replaced.")
    .argument("<id>", "as `files rm` and `files trash list` print it")
    .option("--to <path>", "put it there instead of where it was");
  clientAction(addSessionOptions(addCommonOptions(restore)), restoreEntry);
}

async function listTrash(context: ActionContext): Promise<number> {
  const { client, command, stderr, callOptions } = context;
  const { limit = 0 } = command.opts<TrashOptions>();
  const { entries, truncated } = await client.files.listTrash({ limit }, callOptions);
  await printRows(context, TrashEntrySchema, entries, headings, rowOf);
  if (truncated) await stderr.lines(["sallyport: there are more entries; see --limit"]);
  return exitCode.ok;
}

function rowOf({ id, removedAt, expiresAt, agent, kind, entries, bytes, path }: TrashEntry): string[] {
  const when = (time: string): string => time.slice(0, 19).replace("T", " ");
  const what = enumWord(FileKindSchema, kind);
  return [id, when(removedAt), when(expiresAt), agent, what, String(entries), String(bytes), path];
}

async function restoreEntry(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, callOptions } = context;
  const { to } = command.opts<TrashOptions>();
  const request = {
    sessionId: await sessionId(context),
    trashId: command.args[0] ?? "",
    to: to === undefined ? "" : resolve(to),
  };
  const restored = await client.files.restore(request, callOptions);
  await (json ? stdout.message(RestoreResponseSchema, restored) : stdout.lines([visible(restored.info?.name ?? "")]));
  return exitCode.ok;
}

function entryLimit(text: string): number {
  const count = Number(text);
  if (!/^\d{1,5}$/.test(text) || count < 1 || count > 10_000) throw new InvalidArgumentError("It must be 1 to 10000.");
  return count;
}
