import { resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import { ReadHeaderSchema, ReadTrailerSchema } from "../../gen/sallyport/v1/files_pb.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { dataEvent, messageEvent } from "./event-json.ts";
import { sessionId } from "./session-id.ts";

interface ReadOptions extends SessionOptions {
  readonly offset?: bigint;
  readonly length?: bigint;
  readonly lines?: LineRange;
  readonly max?: bigint;
}

interface LineRange {
  readonly fromLine: bigint;
  readonly lines: bigint;
}

/** `sallyport read`: a file's bytes to standard output. */
export function registerRead(program: Command): void {
  const command = program
    .command("read")
    .summary("print a file")
    .description("Prints a file's bytes as they are. Exits 1 where a cap cut it short.")
    .argument("<path>")
    .option("--offset <bytes>", "first byte", byteOffset)
    .option("--length <bytes>", "bytes at most", byteOffset)
    .option("--lines <range>", "lines instead of bytes: 10, 10-20 or 10-", lineRange)
    .option("--max <bytes>", "cut the answer there, whatever the range", byteOffset);
  clientAction(addSessionOptions(addCommonOptions(command)), readFile);
}

async function readFile(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, stderr, callOptions } = context;
  const { offset = 0n, length = 0n, lines, max = 0n } = command.opts<ReadOptions>();
  const path = resolve(command.args[0] ?? "");
  const request = { sessionId: await sessionId(context), path, offset, length, maxBytes: max, ...lines };
  let cut = false;
  for await (const { part } of client.files.read(request, callOptions)) {
    switch (part.case) {
      case "header":
        if (json) await stdout.json(messageEvent("header", ReadHeaderSchema, part.value));
        break;
      case "data":
        await (json ? stdout.json(dataEvent(part.value)) : stdout.bytes(part.value));
        break;
      case "trailer":
        cut = part.value.truncated;
        if (json) await stdout.json(messageEvent("trailer", ReadTrailerSchema, part.value));
        break;
      case undefined:
        break;
    }
  }
  if (cut && !json) await stderr.lines(["sallyport: the file is longer than the cap; read on with --offset"]);
  return cut ? exitCode.failed : exitCode.ok;
}

function byteOffset(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError("It must be a whole number of bytes.");
  return BigInt(text);
}

function lineRange(text: string): LineRange {
  const [, first = "", dash = "", last = ""] = /^(\d{1,15})(-?)(\d{0,15})$/.exec(text) ?? [];
  const [from, to] = [BigInt(first), BigInt(last === "" ? first : last)];
  if (from === 0n || to < from || (dash === "" && last !== ""))
    throw new InvalidArgumentError("It must be a line from 1, or a range such as 10-20 or 10-.");
  return { fromLine: from, lines: dash !== "" && last === "" ? 0n : to - from + 1n };
}
