import { afterEach, describe, expect, it } from "vitest";
import { type Count, createMeter, type MeterCounts } from "../../src/egress/meter.ts";
import { createFetcher } from "../../src/egress/fetcher.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { admitFetch, fetchIntent, reasonOf } from "./support/lab.ts";
import { openProxyLab, type ProxyLab } from "./support/proxy-lab.ts";
import { ask, statusOf } from "./support/raw-client.ts";

let p: ProxyLab | undefined;
afterEach(async () => {
  await p?.close();
  p = undefined;
});

let time = 1_000_000_000_000;
const meter = (requestsPerMinute: number, bytesPerDay: number) =>
  createMeter({ requestsPerMinute, bytesPerDay, agentOf: (session) => session.slice(0, 1), now: () => time });
const session = (text: string) => text as SessionId;

function reason(work: () => void): Promise<string> {
  return reasonOf(new Promise<void>((done) => done(work())));
}

describe("a meter", () => {
  it("lets an agent make a minute's requests at once, over all sessions, and then as many as come back", async () => {
    const counted = meter(3, 1000);
    for (const id of ["a1", "a2", "a1"]) counted.begin(session(id));
    expect(await reason(() => counted.begin(session("a3")))).toBe("limit_rate");
    counted.begin(session("b1"));
    time += 19_000;
    expect(await reason(() => counted.begin(session("a1")))).toBe("limit_rate");
    time += 1_000;
    counted.begin(session("a1"));
    expect(await reason(() => counted.begin(session("a1")))).toBe("limit_rate");
  });

  it("says what was used, and what has come back since", () => {
    const counted = meter(60, 1000);
    expect(counted.used("a")).toEqual({ requests: 0, bytes: 0 });
    for (const id of ["a1", "a2", "a1"]) counted.begin(session(id));
    counted.add(session("a1"), 600);
    expect(counted.used("a")).toEqual({ requests: 3, bytes: 600 });
    time += 2000;
    expect(counted.used("a")).toEqual({ requests: 1, bytes: 600 });
    time += 86_400_000;
    expect(counted.used("a")).toEqual({ requests: 0, bytes: 0 });
  });

  it("counts bytes until the day is over", async () => {
    const counted = meter(100, 1000);
    expect([counted.add(session("a1"), 600), counted.add(session("a2"), 400)]).toEqual([true, true]);
    counted.begin(session("a1"));
    expect(counted.add(session("a1"), 1)).toBe(false);
    expect(await reason(() => counted.begin(session("a1")))).toBe("limit_bytes");
    time += 86_400_000;
    counted.begin(session("a1"));
  });

  it("goes on where it was after a restart", async () => {
    const stored = new Map<string, Count>();
    const counts: MeterCounts = {
      find: (agent) => stored.get(agent),
      keep: (agent, count) => stored.set(agent, count),
    };
    const restarted = () =>
      createMeter({
        requestsPerMinute: 2,
        bytesPerDay: 1000,
        agentOf: (id) => id.slice(0, 1),
        now: () => time,
        counts,
      });
    const before = restarted();
    before.begin(session("a1"));
    before.begin(session("a1"));
    before.add(session("a1"), 900);
    const after = restarted();
    expect(await reason(() => after.begin(session("a2")))).toBe("limit_rate");
    expect(after.add(session("a2"), 101)).toBe(false);
    restarted().begin(session("b1"));
    time += 86_400_000;
    const tomorrow = restarted();
    tomorrow.begin(session("a1"));
    expect(tomorrow.add(session("a1"), 1000)).toBe(true);
  });
});

describe("what is over the limits", () => {
  const get = (lab: ProxyLab) =>
    ask(
      lab.port,
      `GET ${lab.lab.url("/")} HTTP/1.1\r\nHost: ok.test:${lab.lab.origin.port}\r\nConnection: close\r\n\r\n`,
    );

  it("is answered 429 with the seconds to wait, before anybody is asked", async () => {
    p = await openProxyLab({}, undefined, { meter: meter(1, 1 << 20) });
    expect(statusOf(await get(p))).toBe(200);
    const answer = await get(p);
    expect([statusOf(answer), answer.includes("limit_rate")]).toEqual([429, true]);
    expect(answer).toMatch(/Retry-After: 60\r\n/);
    expect(p.intents).toHaveLength(1);
    const fetcher = createFetcher({ ...p.lab.parts, meter: meter(0, 10) });
    const permit = admitFetch(p.lab, fetchIntent(p.lab.url("/"), { maxBytes: 10, timeoutMs: 9000 }));
    const next = () => Promise.reject(new Error("no redirect"));
    expect(await reasonOf(fetcher.fetch(permit, next, new AbortController().signal))).toBe("limit_rate");
  });

  it("is cut in the middle", async () => {
    p = await openProxyLab({}, undefined, { meter: meter(100, 100_000) });
    p.lab.setHandler((_request, response) => void response.end("x".repeat(1_000_000)));
    expect((await get(p)).length).toBeLessThan(400_000);
    expect(await get(p)).toContain("limit_bytes");
  });
});
