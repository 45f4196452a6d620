import { relative, resolve } from "node:path";
import type { Command } from "commander";
import {
  ChangeKind,
  FilesServiceWatchResponseSchema,
  type FilesServiceWatchResponse,
} from "../../gen/sallyport/v1/files_pb.ts";
import { visible } from "../text/visible.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { sessionId } from "./session-id.ts";

interface WatchOptions extends SessionOptions {
  readonly ignored?: boolean;
}

/** `sallyport files watch`: changes below a folder as they happen. */
export function registerFilesWatch(group: Command): void {
  const watch = group
    .command("watch")
    .summary("follow changes of files")
    .description("Prints what changes below a folder, until it is interrupted. The first line says that it watches.")
    .argument("[path]", "the folder", ".")
    .option("--ignored", "also what ignore files name");
  clientAction(addSessionOptions(addCommonOptions(watch)), watchFolder);
}

async function watchFolder(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, callOptions } = context;
  const { ignored = false } = command.opts<WatchOptions>();
  const path = resolve(command.args[0] ?? ".");
  const request = { sessionId: await sessionId(context), path, includeIgnored: ignored };
  for await (const change of client.files.watch(request, callOptions))
    await (json ? stdout.message(FilesServiceWatchResponseSchema, change) : stdout.lines([lineOf(change, path)]));
  return exitCode.ok;
}

function lineOf({ kind, path }: FilesServiceWatchResponse, root: string): string {
  const shown = visible(relative(process.cwd(), path) || path);
  switch (kind) {
    case ChangeKind.READY:
      return `watching ${visible(root)}`;
    case ChangeKind.CHANGED:
      return `changed  ${shown}`;
    case ChangeKind.REMOVED:
      return `removed  ${shown}`;
    default:
      return "lost     changes were lost: read the folder again";
  }
}
