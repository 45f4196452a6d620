import { describe, expect, it } from "vitest";
import { createSeenOutput } from "../../src/server/handlers/seen-output.ts";
import type { FollowEvent } from "../../src/model/background.ts";
import type { ProcessExit } from "../../src/model/runtime.ts";

const exit: ProcessExit = {
  kind: "exit",
  code: 0,
  signal: undefined,
  durationMs: 1,
  usage: { userMicros: 0, systemMicros: 0, maxRssBytes: 0 },
  truncated: false,
};
const forever = (): AbortSignal => new AbortController().signal;

async function all(events: AsyncIterable<FollowEvent>): Promise<FollowEvent[]> {
  const seen: FollowEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

function textOf(events: readonly FollowEvent[]): string {
  return events
    .map((event) => ("data" in event ? Buffer.from(event.data).toString("latin1") : `<${event.kind}>`))
    .join("");
}

describe("the output of a command that a call waits for", () => {
  it("is seen from its start, by kind and with its end", async () => {
    const output = createSeenOutput();
    output.write("stdout", Buffer.from("one "));
    output.write("stdout", Buffer.from("two "));
    output.write("stderr", Buffer.from("bad "));
    const seen = all(output.follow({ offset: 0, untilNow: false }, forever()));
    output.write("stdout", Buffer.from("three"));
    output.end(exit);
    expect(await seen).toMatchObject([
      { kind: "stdout", offset: 0, data: Buffer.from("one two ") },
      { kind: "stderr", offset: 8, data: Buffer.from("bad ") },
      { kind: "stdout", offset: 12, data: Buffer.from("three") },
      { kind: "exit", offset: 17, exit },
    ]);
  });

  it("is kept to an end of it, and what is lost is said to whoever comes late", async () => {
    const output = createSeenOutput();
    let whole = "";
    for (let at = 0; at < 3000; at += 1) {
      const piece = String(at).padStart(at % 150, "-");
      whole += piece;
      output.write(at % 7 === 0 ? "stderr" : "stdout", Buffer.from(piece));
    }
    const now = await all(output.follow({ offset: 0, untilNow: true }, forever()));
    expect(now[0]).toMatchObject({ kind: "lost", offset: 0 });
    const kept = textOf(now.slice(1));
    expect(kept.length).toBeGreaterThan(50_000);
    expect(whole.endsWith(kept)).toBe(true);
    expect(now[0]).toMatchObject({ bytes: whole.length - kept.length });
  });

  it("is never held up by somebody who looks on and does not read", async () => {
    const output = createSeenOutput();
    const follower = output.follow({ offset: 0, untilNow: false }, forever());
    output.write("stdout", Buffer.from("first"));
    expect(await follower.next()).toMatchObject({ value: { data: Buffer.from("first") } });
    const large = Buffer.alloc(1024 * 1024, "x");
    for (let at = 0; at < 50; at += 1) output.write("stdout", large);
    output.end(exit);
    const rest = await all(follower);
    expect(rest.map(({ kind }) => kind)).toEqual(["lost", "stdout", "exit"]);
    expect(rest[0]).toMatchObject({ offset: 5, bytes: 50 * large.length - 128 * 1024 });
  });

  it("ends for whoever leaves, and with an error where nobody knows how it ended", async () => {
    const output = createSeenOutput();
    const leaving = new AbortController();
    const left = all(output.follow({ offset: 0, untilNow: false }, leaving.signal));
    leaving.abort();
    expect(await left).toEqual([]);
    const seen = all(output.follow({ offset: 0, untilNow: false }, forever()));
    output.end(undefined);
    await expect(seen).rejects.toMatchObject({ code: "unavailable" });
    await expect(all(output.follow({ offset: 1, untilNow: false }, forever()))).rejects.toMatchObject({
      code: "out_of_range",
    });
  });
});
