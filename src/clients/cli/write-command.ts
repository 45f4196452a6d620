import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { InvalidArgumentError, Option, type Command } from "commander";
import { WriteDisposition, WriteResponseSchema, type WriteRequestSchema } from "../../gen/sallyport/v1/files_pb.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { sessionId } from "./session-id.ts";

interface WriteOptions extends SessionOptions {
  readonly from?: string;
  readonly create?: boolean;
  readonly append?: boolean;
  readonly parents?: boolean;
  readonly permissions?: number;
  readonly ifSha256?: Uint8Array;
  readonly ifModified?: string;
}

/** `sallyport write`: standard input or a local file becomes the whole content of a file. */
export function registerWrite(program: Command): void {
  const command = program
    .command("write")
    .summary("write a file")
    .description("Writes a file from standard input or from --from. It appears whole or not at all.")
    .argument("<path>")
    .option("--from <file>", "read the content from this file instead of standard input")
    .addOption(new Option("--create", "fail where the file exists").conflicts("append"))
    .option("--append", "add at the end")
    .option("--parents", "make missing folders on the way")
    .option("--permissions <octal>", "permission bits of a new file, such as 755", permissionBits)
    .addOption(
      new Option("--if-sha256 <hex>", "only where the file has this content")
        .argParser(sha256)
        .conflicts(["create", "ifModified"]),
    )
    .addOption(
      new Option("--if-modified <time>", "only where it was last changed then, as `stat --json` says it").conflicts(
        "create",
      ),
    );
  clientAction(addSessionOptions(addCommonOptions(command)), writeFile);
}

async function writeFile(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, callOptions } = context;
  const options = command.opts<WriteOptions>();
  if (options.from === undefined && process.stdin.isTTY)
    throw new SallyportError("invalid_argument", "pipe the content in, or name a file with --from", { field: "from" });
  // Opened before anything is asked for, so that a missing file asks nobody.
  const source = options.from === undefined ? process.stdin : createReadStream("", { fd: await open(options.from) });
  const start = {
    sessionId: await sessionId(context),
    path: resolve(command.args[0] ?? ""),
    disposition: dispositionOf(options),
    makeParents: options.parents ?? false,
    mode: options.permissions ?? 0,
    ...conditionOf(options),
  };
  try {
    const written = await client.files.write(parts(start, source), callOptions);
    if (json) await stdout.message(WriteResponseSchema, written);
    return exitCode.ok;
  } finally {
    source.destroy();
  }
}

type WritePart = MessageInitShape<typeof WriteRequestSchema>;

async function* parts(
  start: Extract<WritePart["part"], { case: "start" }>["value"],
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<WritePart> {
  yield { part: { case: "start", value: start } };
  for await (const value of source) yield { part: { case: "data", value } };
}

function conditionOf({ ifSha256, ifModified }: WriteOptions) {
  if (ifSha256 !== undefined) return { ifMatch: { version: { case: "sha256" as const, value: ifSha256 } } };
  if (ifModified !== undefined) return { ifMatch: { version: { case: "modifiedAt" as const, value: ifModified } } };
  return {};
}

function sha256(text: string): Uint8Array {
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw new InvalidArgumentError("It must be 64 hexadecimal digits.");
  return Buffer.from(text, "hex");
}

function dispositionOf({ create, append }: WriteOptions): WriteDisposition {
  if (create === true) return WriteDisposition.CREATE;
  return append === true ? WriteDisposition.APPEND : WriteDisposition.OVERWRITE;
}

function permissionBits(text: string): number {
  if (!/^0?[0-7]{3}$/.test(text)) throw new InvalidArgumentError("It must be three octal digits, such as 644.");
  return Number.parseInt(text, 8);
}
