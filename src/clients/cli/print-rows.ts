import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { table } from "../text/table.ts";
import { visible } from "../text/visible.ts";
import type { ActionContext } from "./client-action.ts";

/** Prints messages: one JSON object each with `--json`, otherwise a table with a heading. The cells are made safe for a terminal here. */
export async function printRows<M extends DescMessage>(
  { json, stdout, paint }: ActionContext,
  schema: M,
  messages: readonly MessageShape<M>[],
  heading: readonly string[],
  row: (message: MessageShape<M>) => readonly string[],
): Promise<void> {
  if (json) {
    for (const message of messages) await stdout.message(schema, message);
    return;
  }
  if (messages.length === 0) return;
  const [first = "", ...rest] = table([heading, ...messages.map((message) => row(message).map(visible))]);
  await stdout.lines([paint.dim(first), ...rest]);
}
