import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { InvalidArgumentError, type Command } from "commander";
import { EditResponseSchema } from "../../gen/sallyport/v1/files_pb.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import type { Palette } from "../text/palette.ts";
import { visible } from "../text/visible.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { sessionId } from "./session-id.ts";

interface EditOptions extends SessionOptions {
  readonly old?: readonly string[];
  readonly new?: readonly string[];
  readonly count?: number;
  readonly patch?: string;
  readonly fuzz?: number;
}

/** `sallyport files edit`: exact replacements, or a unified diff. */
export function registerFilesEdit(group: Command): void {
  const command = group
    .command("edit")
    .summary("change parts of a text file")
    .description(
      "Changes parts of a text file in one step and prints the diff. Either --old with --new, as often as needed and in order, or a unified diff from --patch or standard input.",
    )
    .argument("<path>")
    .option("--old <text>", "text that must be there; may be repeated", collect)
    .option("--new <text>", "text that takes its place; one for each --old", collect)
    .option("--count <count>", "how often each --old must be there (default: once)", countOption)
    .option("--patch <file>", "a unified diff; - is standard input")
    .option("--fuzz <lines>", "lines of context that may differ in each part of the diff, up to 2", fuzzOption);
  clientAction(addSessionOptions(addCommonOptions(command)), editFile);
}

async function editFile(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, stderr, paint, callOptions } = context;
  const change = await changeOf(command.opts<EditOptions>());
  const request = { sessionId: await sessionId(context), path: resolve(command.args[0] ?? ""), ...change };
  const edited = await client.files.edit(request, callOptions);
  if (json) await stdout.message(EditResponseSchema, edited);
  else if (process.stdout.isTTY) await stdout.lines(diffLines(edited.diff, paint));
  // As it is: another program may want to apply it.
  else await stdout.bytes(Buffer.from(edited.diff));
  if (edited.diffTruncated) await stderr.lines(["sallyport: the diff is longer than can be shown"]);
  return exitCode.ok;
}

async function changeOf(options: EditOptions) {
  const { old = [], new: now = [], count = 0, patch, fuzz = 0 } = options;
  if (old.length !== now.length)
    throw new SallyportError("invalid_argument", "give one --new for each --old", { field: "new" });
  if (old.length === 0) return { patch: await patchText(patch ?? "-"), fuzz };
  if (patch !== undefined)
    throw new SallyportError("invalid_argument", "give --old and --new, or --patch", { field: "patch" });
  const replacements = old.map((oldText, at) => ({ oldText, newText: now[at] ?? "", expectedCount: count }));
  return { replacements };
}

async function patchText(file: string): Promise<string> {
  if (file !== "-") return readFile(file, "utf8");
  if (process.stdin.isTTY)
    throw new SallyportError(
      "invalid_argument",
      "pipe a unified diff in, name one with --patch, or give --old and --new",
      {
        field: "patch",
      },
    );
  return text(process.stdin);
}

function diffLines(diff: string, paint: Palette): string[] {
  return diff
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const shown = visible(line);
      if (line.startsWith("+")) return paint.green(shown);
      return line.startsWith("-") ? paint.red(shown) : shown;
    });
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function countOption(value: string): number {
  const count = Number(value);
  if (!/^\d{1,8}$/.test(value) || count < 1) throw new InvalidArgumentError("It must be a whole number from 1.");
  return count;
}

function fuzzOption(value: string): number {
  if (!/^[0-2]$/.test(value)) throw new InvalidArgumentError("It must be 0, 1 or 2.");
  return Number(value);
}
