import { homedir } from "node:os";
import type { ActionContext } from "../clients/cli/client-action.ts";
import { exitCode } from "../clients/cli/exit-code.ts";
import { recordWords } from "../clients/cli/record-words.ts";
import { SallyportError } from "../clients/client/sallyport-error.ts";
import { visible } from "../clients/text/visible.ts";
import { ConfigProblem } from "../config/config-fault.ts";
import { fileRules } from "../config/file-rules.ts";
import { configPaths } from "../config/config-paths.ts";
import { factsLocate } from "../files/locate.ts";
import type { AuditRecord } from "../gen/sallyport/v1/audit_pb.ts";
import { type AbsolutePath, parseAbsolutePath } from "../model/absolute-path.ts";
import { Problem } from "../model/problem.ts";
import type { DiffOptions } from "./diff-command.ts";
import { readTriedFile } from "./read-tried-file.ts";
import { recordedRequests } from "./recorded-requests.ts";
import { createRulesDiff, type DiffParts, type RulesChange } from "./rules-diff.ts";

const pageSize = 1000;

/** Prints the recorded requests that the file would decide differently, and how many were looked at. Returns the exit status. @throws SallyportError */
export async function diffRules(context: ActionContext, options: DiffOptions): Promise<number> {
  try {
    return await diff(context, options);
  } catch (error) {
    if (error instanceof ConfigProblem)
      throw new SallyportError("invalid_argument", error.message, { field: "file", cause: error });
    throw error instanceof Problem ? new SallyportError(error.code, error.message, { cause: error }) : error;
  }
}

async function diff(context: ActionContext, options: DiffOptions): Promise<number> {
  const { client, callOptions, json, stderr } = context;
  const { limit, agent = "", session = "", since = "", until = "" } = options;
  const filter = { agent, sessionId: session, since, until };
  const differenceOf = createRulesDiff(await partsOf(context, options));
  const counts = { looked: 0, changed: 0, same: 0, unknown: 0, cut: 0 };
  const page = (beforeSequence: bigint) => client.audit.query({ filter, limit: pageSize, beforeSequence }, callOptions);
  for await (const record of recordedRequests(page, limit)) {
    const difference = await differenceOf(record);
    counts.looked += 1;
    counts[difference.kind] += 1;
    if (difference.kind === "changed") await print(context, record, difference);
  }
  if (!json) await stderr.lines([summary(counts)]);
  return counts.changed === 0 ? exitCode.ok : exitCode.failed;
}

async function print({ json, stdout }: ActionContext, record: AuditRecord, change: RulesChange): Promise<void> {
  const { before, after, because } = change;
  const { sequence, at, agent, entryId } = record;
  if (json) return stdout.json({ sequence: String(sequence), entry: entryId, before, after, because: [...because] });
  const head = `${before} -> ${after}  #${sequence}  ${at}  ${agent}  ${recordWords(record)}`;
  await stdout.lines([visible(head), ...because.map((line) => `    ${visible(line)}`)]);
}

function summary(counts: {
  readonly looked: number;
  readonly changed: number;
  readonly unknown: number;
  readonly cut: number;
}): string {
  const parts = [`${counts.looked} requests, ${counts.changed} would be decided differently`];
  if (counts.unknown > 0)
    parts.push(
      `${counts.unknown} of closed sessions were left out, for their records do not say what folders they had`,
    );
  if (counts.cut > 0) parts.push(`${counts.cut} whose record was cut were left out`);
  return parts.join("; ");
}

async function partsOf({ client, callOptions, command }: ActionContext, { source }: DiffOptions): Promise<DiffParts> {
  const text = await readTriedFile(command.args[0] ?? "", process.stdin);
  const home = parseAbsolutePath(homedir());
  if (home === undefined) throw new Problem("failed_precondition", "HOME: must be an absolute path");
  const real = (path: AbsolutePath): AbsolutePath => factsLocate(path).real;
  const { folder } = configPaths({ home, env: process.env });
  const paths = configPaths({ home, env: { ...process.env, SALLYPORT_CONFIG_DIR: real(folder) } });
  return {
    candidate: { text, source },
    home,
    real,
    fileRules: (world, agent) => fileRules(paths, world, agent),
    async session(id) {
      try {
        const { session } = await client.sessions.get({ sessionId: id }, callOptions);
        const { rules } = await client.policy.listRules({ sessionId: id }, callOptions);
        return session === undefined ? undefined : { session, rules };
      } catch (error) {
        if (error instanceof SallyportError && error.code === "not_found") return undefined;
        throw error;
      }
    },
  };
}
