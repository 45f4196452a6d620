import { resolve } from "node:path";
import { InvalidArgumentError, Option, type Command } from "commander";
import { FileInfoSchema, FileKind, FileSort, type FileInfo } from "../../gen/sallyport/v1/files_pb.ts";
import { table } from "../text/table.ts";
import { visible } from "../text/visible.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { sessionId } from "./session-id.ts";

interface ListOptions extends SessionOptions {
  readonly limit?: number;
  readonly depth?: number;
  readonly recursive?: boolean;
  readonly ignoreFiles?: boolean;
  readonly sort?: keyof typeof sorts;
  readonly reverse?: boolean;
  readonly cursor?: string;
}

interface StatOptions extends SessionOptions {
  readonly sha256?: boolean;
}

const sorts = { name: FileSort.NAME, size: FileSort.SIZE, modified: FileSort.MODIFIED };
const maxDepth = 2048;

/** `sallyport ls` and `sallyport stat`: what a folder holds and what a path is. */
export function registerList(program: Command): void {
  const list = program
    .command("ls")
    .summary("list a folder")
    .description("Lists a folder: kind and permissions, owner, size, time of the last change, name.")
    .argument("[path]", "the folder", ".")
    .option("--limit <count>", "entries at most, up to 10000", entryLimit)
    .option("-R, --recursive", "with all that is below it")
    .option("--depth <levels>", "as many levels below it", levels)
    .option("--ignore-files", "leave out what ignore files name")
    .addOption(new Option("--sort <order>", "by name, size or time of the last change").choices(Object.keys(sorts)))
    .option("--reverse", "turn the order around")
    .option("--cursor <cursor>", "the next page of the same list");
  clientAction(addSessionOptions(addCommonOptions(list)), listFolder);
  const stat = program
    .command("stat")
    .summary("describe one path")
    .description("Describes one path.")
    .argument("<path>")
    .option("--sha256", "read the file and print the SHA-256 of its content, too");
  clientAction(addSessionOptions(addCommonOptions(stat)), describePath);
}

async function listFolder(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, stderr, callOptions } = context;
  const options = command.opts<ListOptions>();
  const request = {
    sessionId: await sessionId(context),
    path: resolve(command.args[0] ?? "."),
    limit: options.limit ?? 0,
    depth: options.depth ?? (options.recursive === true ? maxDepth : 0),
    honorIgnoreFiles: options.ignoreFiles ?? false,
    sort: sorts[options.sort ?? "name"],
    descending: options.reverse ?? false,
    cursor: options.cursor ?? "",
  };
  const { entries, truncated, nextCursor } = await client.files.list(request, callOptions);
  if (json) for (const entry of entries) await stdout.message(FileInfoSchema, entry);
  else await stdout.lines(table(entries.map(row), [2]));
  if (truncated) await stderr.lines([`sallyport: there are more entries; see --limit, or --cursor ${nextCursor}`]);
  return exitCode.ok;
}

async function describePath(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, callOptions } = context;
  const { sha256 = false } = command.opts<StatOptions>();
  const request = { sessionId: await sessionId(context), path: resolve(command.args[0] ?? ""), sha256 };
  const { info } = await client.files.stat(request, callOptions);
  if (info === undefined) return exitCode.server;
  await (json
    ? stdout.message(FileInfoSchema, info)
    : stdout.lines(table([[...row(info), ...(sha256 ? [Buffer.from(info.sha256).toString("hex")] : [])]])));
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

function levels(text: string): number {
  const count = Number(text);
  if (!/^\d{1,4}$/.test(text) || count < 1 || count > maxDepth)
    throw new InvalidArgumentError(`It must be 1 to ${maxDepth}.`);
  return count;
}
