import { describe, expect, it } from "vitest";
import { createGate } from "../../src/gate/gate.ts";
import { resolvePath, rootPath } from "../../src/model/absolute-path.ts";
import type { Recorder } from "../../src/model/gate-ports.ts";
import { parseEntryId } from "../../src/model/ids.ts";
import type { ConnectIntent } from "../../src/model/intent.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import type { Rule } from "../../src/model/rule.ts";
import { createJudge } from "../../src/policy/judge.ts";
import { createNarrator } from "../../src/policy/narrator.ts";
import { textFacts } from "../../src/policy/text-facts.ts";
import { createAgents } from "../../src/sessions/agents.ts";
import { innerCaller } from "../../src/wiring/inner-caller.ts";
import { proxyDoor } from "../../src/wiring/proxy-door.ts";
import { createRelayTable } from "../../src/wiring/relay-table.ts";
import { present } from "../audit/fixture.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { agent, agentId, databaseIn, draft, sessionsIn } from "../sessions/fixture.ts";

const rule = (effect: Rule["effect"], host: string): Rule => ({
  id: `user.${effect}.${host}`,
  source: "user",
  capability: "sandbox_network",
  match: [host],
  exclude: [],
  effect,
});
const to = (host: string): ConnectIntent => ({ kind: "connect", host, port: 443, via: "tunnel" });

/** A door before real sessions, agents, rules and gate; nobody can be asked. */
function setUp() {
  const folder = temporaryFolder();
  const sessions = sessionsIn(folder);
  const agents = createAgents({ database: databaseIn(folder, "agents.db"), clock: () => new Date() });
  agents.createToken(agentId("tester"), "operator");
  const outcomes: Outcome[] = [];
  let rules: readonly Rule[] = [rule("allow", "*.test")];
  const judge = createJudge({
    facts: textFacts({ home: present(resolvePath(rootPath, "home/u")) }),
    session: (id) => sessions.get(innerCaller(), id),
    rules: () => rules,
    now: () => new Date(),
    mounts: false,
  });
  const entry = present(parseEntryId("e"));
  const recorder: Recorder = {
    open: () => entry,
    refuse: () => entry,
    close: (_id, outcome) => void outcomes.push(outcome),
  };
  const asker = { ask: () => Promise.reject(new Error("nobody is there")) };
  const gate = createGate({
    judge,
    asker,
    recorder,
    narrator: createNarrator(),
    states: () => [],
    moment: () => () => false,
    spend: () => {},
  });
  const relays = createRelayTable();
  const lookedInto = new Set<string>();
  const admit = proxyDoor({
    gate,
    judge,
    looksInto: (_session, { host }) => lookedInto.has(host),
    sessions,
    agents,
    relays,
  });
  const id = sessions.open(agent("tester"), draft({ attended: false })).session.subject.session;
  const enter = (host: string) => admit(id, to(host), new AbortController().signal);
  return {
    sessions,
    agents,
    outcomes,
    relays,
    id,
    enter,
    lookedInto,
    setRules: (now: readonly Rule[]) => {
      rules = now;
    },
  };
}

describe("an open connection", () => {
  it("goes on until it would be refused, and is recorded as cut then", async () => {
    const { enter, relays, setRules, outcomes } = setUp();
    const [one, other] = [await enter("one.test"), await enter("other.test")];
    relays.recheck();
    setRules([rule("allow", "*.test"), rule("deny", "one.test")]);
    expect(one.revoked.aborted).toBe(false);
    relays.recheck();
    expect([one.revoked.aborted, other.revoked.aborted]).toEqual([true, false]);
    one.end({ kind: "done", facts: { bytesUp: 3 } });
    other.end({ kind: "done", facts: {} });
    expect(outcomes).toEqual([
      { kind: "failed", reason: expect.stringContaining("cut"), facts: { bytesUp: 3 } },
      { kind: "done", facts: {} },
    ]);
    await expect(enter("one.test")).rejects.toMatchObject({ code: "permission_denied" });
  });

  it("is cut where rules want to see its requests from now on", async () => {
    const { enter, relays, lookedInto } = setUp();
    const [one, other] = [await enter("one.test"), await enter("other.test")];
    lookedInto.add("one.test");
    relays.recheck();
    expect([one.revoked.aborted, other.revoked.aborted]).toEqual([true, false]);
  });

  it("is cut where its agent's tier was lowered", async () => {
    const { enter, relays, agents } = setUp();
    const open = await enter("one.test");
    agents.createToken(agentId("tester"), "read-only");
    relays.recheck();
    expect(open.revoked.aborted).toBe(true);
  });

  it("is cut where its session is closed", async () => {
    const { enter, relays, sessions, id } = setUp();
    const open = await enter("one.test");
    sessions.close(innerCaller(), id);
    relays.recheck();
    expect(open.revoked.aborted).toBe(true);
    await expect(enter("one.test")).rejects.toMatchObject({ code: "not_found" });
  });

  it("is not looked at any more once it ended", async () => {
    const { enter, relays, setRules } = setUp();
    const ended = await enter("one.test");
    ended.end({ kind: "done", facts: {} });
    setRules([]);
    relays.recheck();
    expect(ended.revoked.aborted).toBe(false);
  });
});
