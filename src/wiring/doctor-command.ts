import type { Command } from "commander";
import { type ActionContext, clientAction } from "../clients/cli/client-action.ts";
import { addCommonOptions, type CommonOptions } from "../clients/cli/common-options.ts";
import { exitCode } from "../clients/cli/exit-code.ts";
import { visible } from "../clients/text/visible.ts";
import { faultText } from "../config/config-fault.ts";
import { HealthCheckResponse_ServingStatus } from "../gen/grpc/health/v1/health_pb.ts";
import type { Look } from "./look.ts";
import { lookAtRuntimes } from "./look-at-runtimes.ts";
import { lookAtSearch } from "./look-at-search.ts";

/** Adds `sallyport doctor`: says what runs commands here and what is wrong with a running server, and exits 1 where something is. */
export function registerDoctor(program: Command): void {
  const command = program
    .command("doctor")
    .summary("say what is wrong")
    .description(
      "Says which sandbox runtimes this machine has, what each enforces and which one is used, and whether content can be searched; then what is wrong with the running server: rule files that cannot be read, a record that does not hold, Telegram or a webhook that is not connected. Exits 1 where something is. Needs an admin.",
    );
  clientAction(addCommonOptions(command), doctor);
}

async function doctor(context: ActionContext): Promise<number> {
  // What runs commands on another machine cannot be tried from here.
  const away = context.command.opts<CommonOptions>().address !== undefined;
  const looks = away ? [] : [() => lookAtRuntimes(process.env), () => lookAtSearch()];
  let healthy = true;
  // One after the other: what is known is shown also where the server does not answer.
  for (const look of [
    ...looks,
    () => lookAtRules(context),
    () => lookAtRecord(context),
    () => lookAtSurfaces(context),
  ]) {
    const { ok } = await show(context, await look());
    healthy &&= ok;
  }
  return healthy ? exitCode.ok : exitCode.failed;
}

async function show({ json, stdout, paint }: ActionContext, look: Look): Promise<Look> {
  const { what, ok, lines } = look;
  if (json) await stdout.json({ what, ok, lines: [...lines] });
  else await stdout.lines(lines.map((line) => `${ok ? paint.green("ok   ") : paint.red("WRONG")} ${visible(line)}`));
  return look;
}

async function lookAtRules({ client, callOptions }: ActionContext): Promise<Look> {
  const { rules, faults } = await client.policy.listRules({}, callOptions);
  if (faults.length === 0) return { what: "rules", ok: true, lines: [`${rules.length} rules hold`] };
  return {
    what: "rules",
    ok: false,
    lines: [...faults.map(faultText), "The rules that were good before still hold; an edit counts when it is whole."],
  };
}

async function lookAtRecord({ client, callOptions }: ActionContext): Promise<Look> {
  const { ok, records, firstBadSequence, reason } = await client.audit.verify({}, callOptions);
  const line = ok
    ? `the record's chain holds: ${records} records`
    : `the record's chain is broken at record ${firstBadSequence} of ${records}: ${reason}`;
  return { what: "record", ok, lines: [line] };
}

/** Surfaces that the settings want, by their parts of health. */
async function lookAtSurfaces({ client, callOptions }: ActionContext): Promise<Look> {
  const { statuses } = await client.health.list({}, callOptions);
  const found = ["telegram", "webhook"].flatMap((name) => {
    const status = statuses[`sallyport.${name}`]?.status;
    return status === undefined ? [] : [{ name, connected: status === HealthCheckResponse_ServingStatus.SERVING }];
  });
  if (found.length === 0)
    return { what: "surfaces", ok: true, lines: ["neither Telegram nor a webhook is set up for questions"] };
  return {
    what: "surfaces",
    ok: found.every(({ connected }) => connected),
    lines: found.map(
      ({ name, connected }) => `${name}: ${connected ? "connected" : "not connected; the log says why"}`,
    ),
  };
}
