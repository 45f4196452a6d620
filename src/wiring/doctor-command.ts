import type { Command } from "commander";
import { type ActionContext, clientAction } from "../clients/cli/client-action.ts";
import { addCommonOptions } from "../clients/cli/common-options.ts";
import { exitCode } from "../clients/cli/exit-code.ts";
import { visible } from "../clients/text/visible.ts";
import { faultText } from "../config/config-fault.ts";

/** What was looked at, and what is wrong with it. */
interface Look {
  readonly what: "rules" | "record";
  readonly ok: boolean;
  readonly lines: readonly string[];
}

/** Adds `sallyport doctor`: says what is wrong with a running server, and exits 1 where something is. */
export function registerDoctor(program: Command): void {
  const command = program
    .command("doctor")
    .summary("say what is wrong")
    .description(
      "Says what is wrong with the running server: rule files that cannot be read, a record that does not hold. Exits 1 where something is. Needs an admin.",
    );
  clientAction(addCommonOptions(command), doctor);
}

async function doctor(context: ActionContext): Promise<number> {
  const { json, stdout, paint } = context;
  const looks = [await lookAtRules(context), await lookAtRecord(context)];
  for (const { what, ok, lines } of looks) {
    if (json) await stdout.json({ what, ok, lines: [...lines] });
    else await stdout.lines(lines.map((line) => `${ok ? paint.green("ok   ") : paint.red("WRONG")} ${visible(line)}`));
  }
  return looks.every(({ ok }) => ok) ? exitCode.ok : exitCode.failed;
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
