import { createReadStream } from "node:fs";
import { once } from "node:events";
import type { Command } from "commander";
import { exitCode } from "../clients/cli/exit-code.ts";
import { output, PipeClosed, type Output } from "../clients/cli/output.ts";
import type { LineText } from "../config/parse-case.ts";
import { namedCommand } from "./named-command.ts";
import { readLines } from "./read-lines.ts";
import { readTriedFile } from "./read-tried-file.ts";

/**
 * Adds what needs no server to the client's commands: `check --batch FILE.jsonl`, `egress check` and `rules test FILE.yaml`. `-` reads standard input.
 * A batch exits 0, also where it answers a line with what is wrong with it; the test exits 1 where a case failed; both exit 2 where the file cannot be read.
 * The judge is loaded only when one of them runs: the other commands must start fast.
 */
export function registerOfflineCommands(program: Command): void {
  namedCommand(program, "check")
    .option("--batch <file>", "judge the lines of a JSON Lines file without a server")
    .hook("preAction", async (command) => {
      const { batch } = command.opts<{ batch?: string }>();
      if (batch === undefined) return;
      if (command.args.length > 0) command.error("error: --batch takes one file and nothing else", { exitCode: 2 });
      process.exit(await orFail((stdout) => checkBatch(batch, stdout)));
    });
  namedCommand(program, "rules")
    .command("test <file>")
    .description("Run the cases of a file against its rules, without a server.")
    .action(async (file: string) => {
      process.exitCode = await orFail((stdout) => testRules(file, stdout));
    });
  program
    .command("egress")
    .description("the guard of the way out")
    .command("check [targets...]")
    .summary("judge hosts, addresses and URLs without connecting")
    .description(
      "Judges hosts, addresses, HOST:PORT and URLs by the guard of every connection and prints one JSON line each. Connects to nothing; with --resolver it asks that DNS server.",
    )
    .option("--batch <file>", "judge the lines of a JSON Lines file as well; `-` is standard input")
    .option(
      "--resolver <address:port>",
      "resolve names with this DNS server; without it only names and ports are judged",
    )
    .option("--allow <cidr...>", "ranges that are open, CIDR or CIDR:PORT")
    .action(async (targets: string[], options: EgressOptions) => {
      process.exitCode = await orFail((stdout) => checkEgress(targets, options, stdout));
    });
}

interface EgressOptions {
  readonly batch?: string;
  readonly resolver?: string;
  readonly allow?: string[];
}

async function checkEgress(
  targets: readonly string[],
  { batch, resolver, allow = [] }: EgressOptions,
  stdout: Output,
): Promise<number> {
  if (targets.length === 0 && batch === undefined) throw new Error("name a target, or a file with --batch");
  const { createEgressCheck } = await import("./egress-check.ts");
  const check = createEgressCheck({ allow, resolver });
  for (const target of targets) await stdout.lines([JSON.stringify(await check.target(target))]);
  if (batch !== undefined) {
    let number = 0;
    for await (const line of await linesOf(batch)) {
      number += 1;
      if (line?.trim() !== "") await stdout.lines([JSON.stringify(await check.line(line, number))]);
    }
  }
  return 0;
}

/** The lines of a file, or of standard input for `-`. @throws where it cannot be opened, before a line is read. */
async function linesOf(file: string): Promise<AsyncIterable<LineText>> {
  const input = file === "-" ? process.stdin : createReadStream(file);
  if (file !== "-") await once(input, "readable");
  return readLines(input);
}

async function checkBatch(file: string, stdout: Output): Promise<number> {
  const { runBatch } = await import("../batch.ts");
  await runBatch(await linesOf(file), (line) => stdout.lines([line]));
  return 0;
}

async function testRules(file: string, stdout: Output): Promise<number> {
  const { runRulesTest } = await import("../batch.ts");
  const lines: string[] = [];
  const { failed } = runRulesTest(await readTriedFile(file, process.stdin), [], (line) => lines.push(line));
  await stdout.lines(lines);
  return failed === 0 ? 0 : 1;
}

/** Does the work and gives the exit code. What was printed has left the process by then, for `process.exit` would cut it. */
async function orFail(act: (stdout: Output) => Promise<number>): Promise<number> {
  const stdout = output(process.stdout);
  try {
    const code = await act(stdout);
    await flushed();
    return code;
  } catch (error) {
    if (error instanceof PipeClosed) return exitCode.pipeClosed;
    await output(process.stderr)
      .lines([`sallyport: ${error instanceof Error ? error.message : String(error)}`])
      .catch(() => {});
    return exitCode.usage;
  }
}

/** Resolves when everything printed so far has left the process. */
async function flushed(): Promise<void> {
  const { promise, resolve: done } = Promise.withResolvers<void>();
  process.stdout.write("", () => done());
  await promise;
}
