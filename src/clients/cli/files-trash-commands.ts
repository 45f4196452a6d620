import { resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import {
  EmptyTrashResponseSchema,
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
  /** Seconds. */
  readonly olderThan?: number;
  readonly agent?: string;
}

const headings = ["id", "removed", "until", "agent", "kind", "entries", "bytes", "path"];

/** `sallyport files trash`: what was removed, the way back, and the end of it. */
export function registerFilesTrash(group: Command): void {
  const trash = group
    .command("trash")
    .summary("list, restore and delete what was removed")
    .description("List, restore and delete what was removed.");
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
  const empty = trash
    .command("empty")
    .description("Delete for good what lies in the trash. It does not come back.")
    .option("--older-than <duration>", "only what was removed so long ago: 30m, 12h, 7d", ageOption)
    .option("--agent <name>", "only what this agent removed");
  clientAction(addSessionOptions(addCommonOptions(empty)), emptyTrash);
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

async function emptyTrash(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, stderr, callOptions } = context;
  const { olderThan = 0, agent = "" } = command.opts<TrashOptions>();
  const request = { sessionId: await sessionId(context), olderThanSeconds: BigInt(olderThan), agent };
  const emptied = await client.files.emptyTrash(request, callOptions);
  if (json) await stdout.message(EmptyTrashResponseSchema, emptied);
  else await stdout.lines([`${emptied.deleted} deleted, ${emptied.bytes} bytes`]);
  if (emptied.left > 0n) await stderr.lines([`sallyport: ${emptied.left} more are left; ask again`]);
  return exitCode.ok;
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

function ageOption(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? 0);
  if (!(seconds >= 1)) throw new InvalidArgumentError("It must be an age such as 90s, 30m, 12h or 7d.");
  return seconds;
}

function entryLimit(text: string): number {
  const count = Number(text);
  if (!/^\d{1,5}$/.test(text) || count < 1 || count > 10_000) throw new InvalidArgumentError("It must be 1 to 10000.");
  return count;
}
