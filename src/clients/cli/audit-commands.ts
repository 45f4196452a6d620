import { InvalidArgumentError, type Command } from "commander";
import { AuditRecordSchema, VerifyResponseSchema, type AuditRecord } from "../../gen/sallyport/v1/audit_pb.ts";
import { visible } from "../text/visible.ts";
import { clientAction, type ActionContext } from "./client-action.ts";
import { addCommonOptions, type CommonOptions } from "./common-options.ts";
import { exitCode } from "./exit-code.ts";
import { recordWords } from "./record-words.ts";

interface AuditOptions extends CommonOptions {
  readonly agent?: string;
  readonly session?: string;
  readonly entry?: string;
  readonly kind?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly before?: bigint;
  readonly after?: bigint;
}

/** `sallyport audit`: the record. */
export function registerAudit(program: Command): void {
  const group = program
    .command("audit")
    .summary("read and check the record")
    .description("Read and check the record of decisions and outcomes.");
  const query = group
    .command("query", { isDefault: true })
    .description("Print records, the newest last.")
    .option("--limit <count>", "records at most, up to 1000", recordLimit)
    .option("--before <sequence>", "only records before this number", sequence);
  clientAction(addFilter(addCommonOptions(query)), queryRecords);
  const follow = group
    .command("follow")
    .description("Print records as they are written.")
    .option("--after <sequence>", "start after this number", sequence);
  clientAction(addFilter(addCommonOptions(follow)), followRecords);
  const verify = group.command("verify").description("Check the chain. Exits 1 where it does not hold.");
  clientAction(addCommonOptions(verify), verifyChain);
}

function addFilter(command: Command): Command {
  return command
    .option("--agent <name>", "only this agent's")
    .option("--session <id>", "only this session's")
    .option("--entry <id>", "only this request's")
    .option("--kind <kind>", "only opened, refused, closed, abandoned, answered or note")
    .option("--since <time>", "from this time on, RFC 3339")
    .option("--until <time>", "before this time, RFC 3339");
}

function filterOf({ agent = "", session = "", entry = "", kind = "", since = "", until = "" }: AuditOptions) {
  return { agent, sessionId: session, entryId: entry, kind, since, until };
}

async function queryRecords(context: ActionContext): Promise<number> {
  const { client, command, json, stderr, callOptions } = context;
  const options = command.opts<AuditOptions>();
  const { records, nextBeforeSequence } = await client.audit.query(
    { filter: filterOf(options), limit: options.limit ?? 0, beforeSequence: options.before ?? 0n },
    callOptions,
  );
  for (const record of records) await printRecord(context, record);
  if (nextBeforeSequence > 0n && !json) await stderr.lines([`older records: --before ${nextBeforeSequence}`]);
  return exitCode.ok;
}

async function followRecords(context: ActionContext): Promise<number> {
  const { client, command, callOptions } = context;
  const options = command.opts<AuditOptions>();
  const request = { filter: filterOf(options), afterSequence: options.after ?? 0n };
  for await (const { record } of client.audit.follow(request, callOptions))
    if (record !== undefined) await printRecord(context, record);
  return exitCode.ok;
}

async function verifyChain({ client, json, stdout, paint, callOptions }: ActionContext): Promise<number> {
  const result = await client.audit.verify({}, callOptions);
  if (json) await stdout.message(VerifyResponseSchema, result);
  else if (result.ok) await stdout.lines([`${paint.green("the chain holds")}: ${result.records} records`]);
  else
    await stdout.lines([
      `${paint.red("the chain is broken")} at record ${result.firstBadSequence} of ${result.records}: ${visible(result.reason)}`,
    ]);
  return result.ok ? exitCode.ok : exitCode.failed;
}

async function printRecord({ json, stdout, paint }: ActionContext, record: AuditRecord): Promise<void> {
  if (json) return stdout.message(AuditRecordSchema, record);
  const { sequence, at, kind, agent, entryId } = record;
  const head = `${String(sequence).padStart(6)}  ${at}  ${kind.padEnd(9)}  ${agent}`;
  await stdout.lines([`${visible(head)}  ${visible(recordWords(record))}  ${paint.dim(visible(entryId))}`.trimEnd()]);
}

function recordLimit(text: string): number {
  const count = Number(text);
  if (!/^\d{1,4}$/.test(text) || count < 1 || count > 1000) throw new InvalidArgumentError("It must be 1 to 1000.");
  return count;
}

function sequence(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError("It must be a record's number.");
  return BigInt(text);
}
