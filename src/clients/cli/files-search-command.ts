import { relative, resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import {
  SearchEnd,
  SearchResponseSchema,
  type SearchResponse,
  type SearchSummary,
} from "../../gen/sallyport/v1/files_pb.ts";
import { visible, visibleLines } from "../text/visible.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, addSessionOptions, type SessionOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { sessionId } from "./session-id.ts";

interface SearchOptions extends SessionOptions {
  readonly glob?: string;
  readonly limit?: number;
  readonly ignoreCase?: boolean;
  readonly literal?: boolean;
  readonly hidden?: boolean;
  readonly ignored?: boolean;
  readonly context?: number;
}

/** `sallyport files search`: content by a regular expression, names by a glob. */
export function registerFilesSearch(group: Command): void {
  const search = group
    .command("search")
    .summary("search files")
    .description(
      "Searches the content of the files below a folder, or with an empty pattern their names. Exits 1 where nothing is found, and where a bound ended it.",
    )
    .argument("<pattern>", "regular expression of ripgrep")
    .argument("[path]", "the folder", ".")
    .option("-g, --glob <glob>", "only names that fit, such as '*.ts' or 'src/**'")
    .option("-i, --ignore-case", "take upper and lower case for the same")
    .option("-F, --literal", "take the pattern for the text itself")
    .option("--hidden", "also names that begin with a dot")
    .option("--ignored", "also what ignore files name")
    .option("-C, --context <lines>", "lines around each hit, up to 20", within(0, 20))
    .option("--limit <count>", "hits at most, up to 10000", within(1, 10_000));
  clientAction(addSessionOptions(addCommonOptions(search)), searchFiles);
}

async function searchFiles(context: ActionContext): Promise<number> {
  const { client, command, json, stdout, stderr, callOptions } = context;
  const options = command.opts<SearchOptions>();
  const [pattern = "", folder = "."] = command.args;
  const request = {
    sessionId: await sessionId(context),
    path: resolve(folder),
    pattern,
    glob: options.glob ?? (pattern === "" ? "*" : ""),
    limit: options.limit ?? 0,
    ignoreCase: options.ignoreCase ?? false,
    literal: options.literal ?? false,
    includeHidden: options.hidden ?? false,
    includeIgnored: options.ignored ?? false,
    contextLines: options.context ?? 0,
  };
  let found = false;
  let summary: SearchSummary | undefined;
  for await (const answer of client.files.search(request, callOptions)) {
    found ||= answer.summary === undefined;
    summary = answer.summary;
    if (json) await stdout.message(SearchResponseSchema, answer);
    else if (answer.summary === undefined) await stdout.lines([lineOf(context, answer)]);
  }
  const whole = summary?.end === SearchEnd.COMPLETE;
  if (!whole && !json) await stderr.lines([`sallyport: there may be more: ${reasonOf(summary?.end)}`]);
  return found && whole ? exitCode.ok : exitCode.failed;
}

/** As grep(1) prints it: `path:line:text`, with `-` around the number of a line that is only near. */
function lineOf({ paint }: ActionContext, { path, line, text, context, cut }: SearchResponse): string {
  const shown = visible(relative(process.cwd(), path) || path);
  if (line === 0) return shown;
  const mark = context ? "-" : ":";
  const end = cut ? paint.dim(" …") : "";
  return `${shown}${mark}${line}${mark}${visibleLines(new TextDecoder().decode(text)).join(" ")}${end}`;
}

function reasonOf(end: SearchEnd | undefined): string {
  switch (end) {
    case SearchEnd.LIMIT:
      return "the limit was reached; see --limit";
    case SearchEnd.TIME:
      return "it took too long";
    default:
      return "there was too much to look at";
  }
}

function within(least: number, most: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (!/^\d{1,5}$/.test(text) || count < least || count > most)
      throw new InvalidArgumentError(`It must be ${least} to ${most}.`);
    return count;
  };
}
