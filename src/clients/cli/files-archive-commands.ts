import { createReadStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { resolve } from "node:path";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Command } from "commander";
import {
  DownloadHeaderSchema,
  DownloadTrailerSchema,
  UploadResponseSchema,
  type LeftOut,
  type UploadRequestSchema,
} from "../../gen/sallyport/v1/files_pb.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import { visible } from "../text/visible.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { dataEvent, messageEvent } from "./event-json.ts";
import { exitCode } from "./exit-code.ts";
import { sessionId } from "./session-id.ts";

interface UploadOptions extends SessionOptions {
  readonly from?: string;
  readonly force?: boolean;
  readonly parents?: boolean;
}

interface DownloadOptions extends SessionOptions {
  readonly output?: string;
  readonly ignoreFiles?: boolean;
}

/** `sallyport files upload` and `sallyport files download`: folders as tar archives. */
export function registerFilesArchives(group: Command): void {
  const upload = group
    .command("upload")
    .summary("unpack a tar archive into a folder")
    .description(
      "Unpacks a tar archive, not compressed, from standard input or --from. Exits 1 where an entry was left out, and says why.",
    )
    .argument("<path>", "the folder")
    .option("--from <file>", "read the archive from this file instead of standard input")
    .option("-f, --force", "replace files that are there")
    .option("--parents", "make the folder, and missing folders above it");
  clientAction(addSessionOptions(addCommonOptions(upload)), uploadFolder);
  const download = group
    .command("download")
    .summary("pack a folder into a tar archive")
    .description(
      "Packs a folder into a tar archive on standard output, or in a file of this machine. Exits 1 where something was left out, and says why.",
    )
    .argument("[path]", "the folder", ".")
    .option("-o, --output <file>", "write the archive to this file")
    .option("--ignore-files", "leave out what ignore files name");
  clientAction(addSessionOptions(addCommonOptions(download)), downloadFolder);
}

async function uploadFolder(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, callOptions } = context;
  const { from, force = false, parents = false } = command.opts<UploadOptions>();
  if (from === undefined && process.stdin.isTTY)
    throw new SallyportError("invalid_argument", "pipe the archive in, or name a file with --from", { field: "from" });
  // Opened before anything is asked for, so that a missing file asks nobody.
  const source = from === undefined ? process.stdin : createReadStream("", { fd: await open(from) });
  const path = resolve(command.args[0] ?? "");
  const start = { sessionId: await sessionId(context), path, overwrite: force, makeParents: parents };
  try {
    const done = await client.files.upload(parts(start, source), callOptions);
    if (json) await stdout.message(UploadResponseSchema, done);
    return await reportLeftOut(context, done.leftOut, done.leftOutCount);
  } finally {
    source.destroy();
  }
}

type UploadPart = MessageInitShape<typeof UploadRequestSchema>;

async function* parts(
  start: Extract<UploadPart["part"], { case: "start" }>["value"],
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<UploadPart> {
  yield { part: { case: "start", value: start } };
  for await (const value of source) yield { part: { case: "data", value } };
}

async function downloadFolder(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, callOptions } = context;
  const { output, ignoreFiles = false } = command.opts<DownloadOptions>();
  if (output === undefined && !json && process.stdout.isTTY)
    throw new SallyportError("invalid_argument", "redirect the archive, or name a file with --output", {
      field: "output",
    });
  const path = resolve(command.args[0] ?? ".");
  const request = { sessionId: await sessionId(context), path, honorIgnoreFiles: ignoreFiles };
  let file: FileHandle | undefined;
  let status: number = exitCode.server;
  try {
    for await (const { part } of client.files.download(request, callOptions))
      switch (part.case) {
        case "header":
          // Not before the download is allowed.
          if (output !== undefined) file = await open(output, "wx");
          if (json) await stdout.json(messageEvent("header", DownloadHeaderSchema, part.value));
          break;
        case "data":
          if (file !== undefined) await file.writeFile(part.value);
          else await (json ? stdout.json(dataEvent(part.value)) : stdout.bytes(part.value));
          break;
        case "trailer":
          if (json) await stdout.json(messageEvent("trailer", DownloadTrailerSchema, part.value));
          status = await reportLeftOut(context, part.value.leftOut, part.value.leftOutCount);
          break;
        case undefined:
          break;
      }
  } finally {
    await file?.close();
  }
  return status;
}

async function reportLeftOut(
  { json, stderr }: ActionContext,
  first: readonly LeftOut[],
  count: bigint,
): Promise<number> {
  if (count === 0n) return exitCode.ok;
  const more = count - BigInt(first.length);
  const lines = first.map(({ name, reason }) => `sallyport: left out ${visible(name)}: ${visible(reason)}`);
  if (!json) await stderr.lines(more > 0n ? [...lines, `sallyport: and ${more} more`] : lines);
  return exitCode.failed;
}
