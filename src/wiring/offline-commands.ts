import { createReadStream } from "node:fs";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { resolve } from "node:path";
import type { Command } from "commander";
import { namedCommand } from "./named-command.ts";

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
      if (batch !== undefined) process.exit(await orFail(() => checkBatch(batch)));
    });
  namedCommand(program, "rules")
    .command("test <file>")
    .description("Run the cases of a file against its rules, without a server.")
    .action(async (file: string) => {
      process.exitCode = await orFail(() => testRules(file));
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
      process.exitCode = await orFail(() => checkEgress(targets, options));
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
): Promise<number> {
  if (targets.length === 0 && batch === undefined) throw new Error("name a target, or a file with --batch");
  const { createEgressCheck } = await import("./egress-check.ts");
  const check = createEgressCheck({ allow, resolver });
  for (const target of targets) print(JSON.stringify(await check.target(target)));
  if (batch !== undefined) {
    let number = 0;
    for await (const line of await linesOf(batch)) {
      number += 1;
      if (line.trim() !== "") print(JSON.stringify(await check.line(line, number)));
    }
  }
  await flushed();
  return 0;
}

/** The lines of a file, or of standard input for `-`. */
async function linesOf(file: string): Promise<AsyncIterable<string>> {
  const input = file === "-" ? process.stdin : createReadStream(file);
  // `once` rejects on "error", so a file that cannot be opened is told before a line is read.
  if (file !== "-") await once(input, "readable");
  return createInterface({ input, crlfDelay: Infinity });
}

async function checkBatch(file: string): Promise<number> {
  const { runBatch } = await import("../batch.ts");
  await runBatch(await linesOf(file), print);
  await flushed();
  return 0;
}

async function testRules(file: string): Promise<number> {
  const { runRulesTest } = await import("../batch.ts");
  const { readConfigFile } = await import("../config/read-config-file.ts");
  const text = readConfigFile(resolve(file));
  if (text === undefined) throw new Error(`${file}: no such file`);
  const { failed } = runRulesTest(text, [], print);
  await flushed();
  return failed === 0 ? 0 : 1;
}

async function orFail(act: () => Promise<number>): Promise<number> {
  try {
    return await act();
  } catch (error) {
    process.stderr.write(`sallyport: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Resolves when everything printed so far has left the process: `process.exit` would cut it. */
async function flushed(): Promise<void> {
  const { promise, resolve: done } = Promise.withResolvers<void>();
  process.stdout.write("", () => done());
  await promise;
}
