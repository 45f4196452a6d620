import { createReadStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { InvalidArgumentError, type Command } from "commander";
import { FetchHeaderSchema, FetchTrailerSchema } from "../../gen/sallyport/v1/fetch_pb.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { dataEvent, messageEvent } from "./event-json.ts";
import { exitCode } from "./exit-code.ts";
import { sessionId } from "./session-id.ts";

interface Header {
  readonly name: string;
  readonly value: string;
}

interface FetchOptions extends SessionOptions {
  readonly request?: string;
  readonly header?: readonly Header[];
  readonly data?: string;
  readonly maxBytes?: bigint;
  readonly output?: string;
  readonly fail?: boolean;
  readonly text?: boolean;
}

/** `sallyport fetch`: a URL's body to standard output or a file. */
export function registerFetch(program: Command): void {
  const command = program
    .command("fetch")
    .summary("fetch a URL")
    .description("Fetches a URL through the server and prints the body. Exits 1 where a cap cut it short.")
    .argument("<url>")
    .option("-X, --request <method>", "method; the default is GET, with -d POST")
    .option("-H, --header <name: value>", "request header; may be repeated", collectHeader)
    .option("-d, --data <body>", "request body; @file reads a file, @- standard input")
    .option("--max-bytes <bytes>", "stop after this many bytes of the body", byteCount)
    .option("-o, --output <file>", "write the body to a file")
    .option("--text", "print the body as text: HTML as Markdown, other text in UTF-8")
    .option("--fail", "exit 22 without a body where the status is 400 or more");
  clientAction(addSessionOptions(addCommonOptions(command)), fetchUrl);
}

async function fetchUrl(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, stderr, callOptions } = context;
  const options = command.opts<FetchOptions>();
  const body = options.data === undefined ? new Uint8Array() : await bodyOf(options.data);
  const spec = {
    sessionId: await sessionId(context),
    url: command.args[0] ?? "",
    method: options.request ?? (options.data === undefined ? "" : "POST"),
    headers: [...(options.header ?? [])],
    body,
    asText: options.text === true,
    maxBytes: options.maxBytes ?? 0n,
    timeoutMs: Math.min(callOptions.timeoutMs ?? 0, 600_000),
  };
  let file: FileHandle | undefined;
  let cut = false;
  try {
    for await (const { part } of client.fetch.stream({ spec }, callOptions)) {
      switch (part.case) {
        case "header":
          if (json) await stdout.json(messageEvent("header", FetchHeaderSchema, part.value));
          if (options.fail === true && part.value.status >= 400) {
            if (!json) await stderr.lines([`sallyport: the server answered ${part.value.status}`]);
            return exitCode.httpError;
          }
          // Only now: a request that is refused must not have emptied the file.
          if (options.output !== undefined) file = await open(options.output, "w");
          break;
        case "data":
          if (file !== undefined) await file.writeFile(part.value);
          else await (json ? stdout.json(dataEvent(part.value)) : stdout.bytes(part.value));
          break;
        case "trailer":
          cut = part.value.truncated;
          if (json) await stdout.json(messageEvent("trailer", FetchTrailerSchema, part.value));
          break;
        case undefined:
          break;
      }
    }
  } finally {
    await file?.close();
  }
  if (cut && !json) await stderr.lines(["sallyport: the body is longer than the cap; see --max-bytes"]);
  return cut ? exitCode.failed : exitCode.ok;
}

async function bodyOf(data: string): Promise<Uint8Array> {
  if (!data.startsWith("@")) return new TextEncoder().encode(data);
  return buffer(data === "@-" ? process.stdin : createReadStream(data.slice(1)));
}

function collectHeader(text: string, before: readonly Header[] = []): Header[] {
  const cut = text.indexOf(":");
  if (cut < 1) throw new InvalidArgumentError("It must be 'Name: value'.");
  return [...before, { name: text.slice(0, cut).trim(), value: text.slice(cut + 1).trim() }];
}

function byteCount(text: string): bigint {
  if (!/^\d{1,12}$/.test(text) || BigInt(text) === 0n)
    throw new InvalidArgumentError("It must be a whole number, at least 1.");
  return BigInt(text);
}
