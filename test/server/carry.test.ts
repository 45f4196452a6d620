import { describe, expect, it } from "vitest";
import type { EntryId } from "../../src/model/ids.ts";
import type { StatIntent } from "../../src/model/intent.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import { Problem } from "../../src/model/problem.ts";
import { Permit } from "../../src/model/permit.ts";
import { carry, carryStream } from "../../src/server/carry.ts";
import type { Gate } from "../../src/server/ports/acting.ts";
import { smallRooms } from "./rooms.ts";
import { temporaryFolder } from "./open-server.ts";

const intent: StatIntent = { kind: "stat", path: "/a" as StatIntent["path"] };

async function open() {
  const rooms = smallRooms(temporaryFolder());
  const { subject } = await rooms.ports.sessions.ofCaller({
    agent: "a" as never,
    channel: rooms.channel,
    role: "admin",
    isAgent: false,
    tier: "full",
  });
  const leaving = new AbortController();
  return { gate: rooms.ports.gate, recorded: rooms.recorded, subject, leaving, signal: leaving.signal };
}

describe("carrying an act", () => {
  it("records what it said, or that it was done", async () => {
    const { gate, subject, signal, recorded } = await open();
    const path = await carry(gate, subject, intent, signal, ({ permit, done }) => {
      done({ bytes: 1 });
      return Promise.resolve(Permit.redeem(permit, "stat").path);
    });
    expect(path).toBe("/a");
    await carry(gate, subject, intent, signal, () => Promise.resolve());
    expect(recorded.map(({ outcomes }) => outcomes)).toEqual([
      [{ kind: "done", facts: { bytes: 1 } }],
      [{ kind: "done", facts: {} }],
    ]);
  });

  it("records why it failed, and nothing of a cause that is inside", async () => {
    const { gate, subject, signal, recorded, leaving } = await open();
    const fail = (error: Error) =>
      carry(gate, subject, intent, signal, async () => {
        throw error;
      });
    await expect(fail(new Problem("not_found", "gone"))).rejects.toThrow("gone");
    await expect(fail(new Error("at /secret"))).rejects.toThrow("at /secret");
    await expect(
      carry(gate, subject, intent, signal, () => {
        leaving.abort(new Problem("cancelled", "left"));
        return Promise.reject(new Error("of no interest now"));
      }),
    ).rejects.toThrow("of no interest now");
    expect(recorded.map(({ outcomes }) => outcomes)).toEqual([
      [{ kind: "failed", reason: "not_found: gone", facts: {} }],
      [{ kind: "failed", reason: "internal error", facts: {} }],
      [{ kind: "failed", reason: "cancelled: left", facts: {} }],
    ]);
  });

  it("ends a stream's entry once: at its end, at its failure, or when its reader leaves", async () => {
    const { gate, subject, signal, recorded } = await open();
    const all: number[] = [];
    for await (const item of carryStream(gate, subject, intent, signal, async function* () {
      yield* [1, 2];
    }))
      all.push(item);
    expect(all).toEqual([1, 2]);
    for await (const item of carryStream(gate, subject, intent, signal, async function* () {
      yield* [1, 2];
    }))
      if (item === 1) break;
    const broken = carryStream(gate, subject, intent, signal, async function* ({ done }) {
      done({ status: 200 });
      yield 1;
      throw new Error("too late to matter");
    });
    await broken.next();
    await expect(broken.next()).rejects.toThrow();
    expect(recorded.map(({ outcomes }) => outcomes)).toEqual([
      [{ kind: "done", facts: {} }],
      [{ kind: "abandoned", reason: "the caller went away before the end was known" }],
      [{ kind: "done", facts: { status: 200 } }],
    ]);
  });

  it("does not act where the gate says no", async () => {
    const { subject, signal } = await open();
    const shut: Gate = { admit: () => Promise.reject(new Problem("permission_denied", "no")) };
    let acted = false;
    await expect(
      carry(shut, subject, intent, signal, () => {
        acted = true;
        return Promise.resolve();
      }),
    ).rejects.toThrow("no");
    expect(acted).toBe(false);
  });

  it("tells its caller where the end cannot be recorded", async () => {
    const { gate, subject, signal } = await open();
    const outcomes: Outcome[] = [];
    const full: Gate = {
      async admit(...request) {
        const admission = await gate.admit(...request);
        const end = (outcome: Outcome): void => {
          outcomes.push(outcome);
          throw new Problem("unavailable", "the disk is full");
        };
        return { ...admission, entry: "e" as EntryId, end };
      },
    };
    await expect(carry(full, subject, intent, signal, () => Promise.resolve("done"))).rejects.toThrow("disk is full");
    expect(outcomes).toHaveLength(1);
  });
});
