import type { Subject } from "../model/subject.ts";
import type { FileBudget } from "./ports/changing.ts";

/** Counts what is written for a subject. */
export function spendFor(budget: FileBudget, { agent }: Subject): (bytes: number) => void {
  return (bytes) => budget.spend(agent, bytes);
}

/**
 * The same bytes, each counted before it goes on.
 * @throws Problem `resource_exhausted` where the subject's agent has had its bytes for today, before the first byte as well.
 */
export async function* withinBudget(
  budget: FileBudget,
  { agent }: Subject,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  budget.left(agent);
  for await (const chunk of chunks) {
    budget.spend(agent, chunk.length);
    yield chunk;
  }
}
