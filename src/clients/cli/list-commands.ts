import { resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import { FileInfoSchema, FileKind, type FileInfo } from "../../gen/sallyport/v1/files_pb.ts";
import { table } from "../text/table.ts";
import { visible } from "../text/visible.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { sessionId } from "./session-id.ts";

interface ListOptions extends SessionOptions {
  readonly limit?: number;
}

/** `sallyport ls` and `sallyport stat`: what a folder holds and what a path is. */
export function registerList(program: Command): void {
  const list = program
    .command("ls")
    .summary("list a folder")
    .description("Lists a folder: kind and permissions, owner, size, time of the last change, name.")
    .argument("[path]", "the folder", ".")
    .option("--limit <count>", "entries at most, up to 10000", entryLimit);
  clientAction(addSessionOptions(addCommonOptions(list)), listFolder);
  const stat = program
    .command("stat")
    .summary("describe one path")
    .description("Describes one path.")
    .argument("<path>");
  clientAction(addSessionOptions(addCommonOptions(stat)), describePath);
}

async function listFolder(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, stderr, callOptions } = context;
  const { limit = 0 } = command.opts<ListOptions>();
  const path = resolve(command.args[0] ?? ".");
  const request = { sessionId: await sessionId(context), path, limit };
  const { entries, truncated } = await client.files.list(request, callOptions);
  if (json) for (const entry of entries) await stdout.message(FileInfoSchema, entry);
  else await stdout.lines(table(entries.map(row), [2]));
  if (truncated) await stderr.lines(["sallyport: there are more entries; see --limit"]);
  return exitCode.ok;
}

async function describePath(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, callOptions } = context;
  const request = { sessionId: await sessionId(context), path: resolve(command.args[0] ?? "") };
  const { info } = await client.files.stat(request, callOptions);
  if (info === undefined) return exitCode.server;
  await (json ? stdout.message(FileInfoSchema, info) : stdout.lines(table([row(info)])));
  return exitCode.ok;
}

function row(info: FileInfo): string[] {
  const when = info.modifiedAt.slice(0, 19).replace("T", " ");
  return [
    kindLetter(info) + permissions(info.mode),
    `${info.uid}:${info.gid}`,
    String(info.size),
    when,
    visible(info.name),
  ];
}

function kindLetter({ kind }: FileInfo): string {
  switch (kind) {
    case FileKind.FILE:
      return "-";
    case FileKind.FOLDER:
      return "d";
    case FileKind.SYMLINK:
      return "l";
    default:
      return "?";
  }
}

// The letters of ls(1).
function permissions(mode: number): string {
  return Array.from("rwxrwxrwx", (letter, index) => ((mode >> (8 - index)) & 1 ? letter : "-")).join("");
}

function entryLimit(text: string): number {
  const count = Number(text);
  if (!/^\d{1,5}$/.test(text) || count < 1 || count > 10_000) throw new InvalidArgumentError("It must be 1 to 10000.");
  return count;
}
