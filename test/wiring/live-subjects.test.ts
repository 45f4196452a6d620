import { expect, it } from "vitest";
import type { Mode, Subject, Tier } from "../../src/model/subject.ts";
import type { Judge } from "../../src/model/gate-ports.ts";
import { innerCaller } from "../../src/wiring/inner-caller.ts";
import { withLiveSubjects } from "../../src/wiring/live-subjects.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { agent, draft, sessionsIn } from "../sessions/fixture.ts";

/** The subject that is judged where a request was made as `asked`, and the agent and its session are otherwise by now. */
function judgedAs(asked: { tier: Tier; mode: Mode }, now: { tier: Tier; mode: Mode }): Pick<Subject, "tier" | "mode"> {
  const sessions = sessionsIn(temporaryFolder());
  const { subject } = sessions.open(agent("tester"), draft({})).session;
  sessions.update(innerCaller(), subject.session, { mode: now.mode });
  const seen: Subject[] = [];
  const judge: Judge = {
    judge(live) {
      seen.push(live);
      throw new Error("seen");
    },
  };
  const live = withLiveSubjects(judge, { sessions, agents: { tierOf: () => now.tier } });
  expect(() =>
    live.judge({ ...subject, ...asked }, { kind: "connect", host: "x.test", port: 443, via: "tunnel" }),
  ).toThrow("seen");
  const [{ tier, mode } = { tier: undefined, mode: undefined }] = seen;
  if (tier === undefined) throw new Error("nothing was judged");
  return { tier, mode };
}

it("judges with the lower tier and the stricter mode of then and now", () => {
  const full = { tier: "full", mode: "allow-all" } as const;
  const low = { tier: "read-only", mode: "supervised" } as const;
  expect(judgedAs(full, low)).toEqual(low);
  expect(judgedAs(low, full)).toEqual(low);
  expect(judgedAs({ tier: "builder", mode: "autopilot" }, full)).toEqual({ tier: "builder", mode: "autopilot" });
});

it("says that a session was closed meanwhile, not that there never was one", () => {
  const sessions = sessionsIn(temporaryFolder());
  const { subject } = sessions.open(agent("tester"), draft({})).session;
  sessions.close(innerCaller(), subject.session);
  const judge: Judge = {
    judge() {
      throw new Error("nothing is to be judged");
    },
  };
  const live = withLiveSubjects(judge, { sessions, agents: { tierOf: () => "full" } });
  expect(() => live.judge(subject, { kind: "connect", host: "x.test", port: 443, via: "tunnel" })).toThrow(
    expect.objectContaining({ code: "aborted", message: expect.stringContaining("closed") as string }),
  );
});
