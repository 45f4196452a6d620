import { once } from "node:events";
import { AnswerKind } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { Mode, Tier } from "../../src/gen/sallyport/v1/common_pb.ts";
import { startSallyport } from "../e2e/support/start-sallyport.ts";
import { heading, percentilesOf, row } from "./support/percentiles.ts";

// From the request of an agent to its question at a connected watcher, and from the answer to the command that runs, both over the real server: goals 100 ms and 20 ms.
const rounds = 100;
const warm = 10;
const sallyport = await startSallyport();
const admin = sallyport.client();
const { token } = await admin.agents.createToken({ agent: "bench", tier: Tier.FULL });
const agent = sallyport.client(token);
const { session } = await agent.sessions.open({ key: "bench", mode: Mode.ASK });
const sessionId = session?.id ?? "";

const stop = new AbortController();
const arrivals = new EventTarget();
const seen = new Set<string>();
const watching = (async () => {
  try {
    for await (const { event } of admin.approvals.watch({}, { signal: stop.signal }))
      if (event.case === "opened" && !seen.has(event.value.id)) {
        seen.add(event.value.id);
        arrivals.dispatchEvent(new CustomEvent("question", { detail: event.value.id }));
      }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
})();

const shown: number[] = [];
const started: number[] = [];
for (let round = 0; round < rounds + warm; round += 1) {
  const asked = performance.now();
  const arrived = once(arrivals, "question");
  // A question of its own each time; the limit of questions a minute is above the rounds.
  const call = agent.exec({ sessionId, command: { argv: ["/bin/true", String(round)] } });
  const events = call[Symbol.asyncIterator]();
  const first = events.next();
  const [event] = await arrived;
  const questionId = event instanceof CustomEvent ? String(event.detail) : "";
  const reached = performance.now();
  const answered = performance.now();
  const [, { value }] = await Promise.all([
    admin.approvals.answer({ questionId, answer: AnswerKind.ALLOW }),
    first.then((result) => {
      if (round >= warm) started.push(performance.now() - answered);
      return result;
    }),
  ]);
  if (value?.kind !== "started") throw new Error("the command did not start");
  if (round >= warm) shown.push(reached - asked);
  for (let next = await events.next(); next.done !== true; next = await events.next());
}
stop.abort();
await watching;
await sallyport.remove();

console.log(`Questions, one at a time\n${heading}`);
console.log(row("request to question at a watcher, goal 100", percentilesOf(shown)));
console.log(row("answer to started command, goal 20", percentilesOf(started)));
