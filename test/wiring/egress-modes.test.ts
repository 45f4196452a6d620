import { describe, expect, it } from "vitest";
import type { EgressMode } from "../../src/config/load-settings.ts";
import { resolvePath, rootPath } from "../../src/model/absolute-path.ts";
import type { Intent } from "../../src/model/intent.ts";
import type { Rule, Source } from "../../src/model/rule.ts";
import { createJudge } from "../../src/policy/judge.ts";
import { textFacts } from "../../src/policy/text-facts.ts";
import { reported, withEgressModes } from "../../src/wiring/egress-modes.ts";
import { innerCaller } from "../../src/wiring/inner-caller.ts";
import { present } from "../audit/fixture.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { agent, draft, sessionsIn } from "../sessions/fixture.ts";

const rule = (effect: Rule["effect"], host: string, source: Source = "user"): Rule => ({
  id: `${source}.${effect}.${host}`,
  source,
  capability: "sandbox_network",
  match: [host],
  exclude: [],
  effect,
});

/** How a connection is settled in a mode, attended or not, and what is reported of it. */
function settle(
  mode: EgressMode,
  host: string,
  rules: readonly Rule[],
  attended = false,
  intent: Intent = { kind: "connect", host, port: 443, via: "tunnel" },
): string {
  const sessions = sessionsIn(temporaryFolder());
  const { subject } = sessions.open(agent("tester"), draft({ attended })).session;
  const judge = createJudge({
    facts: textFacts({ home: present(resolvePath(rootPath, "home/u")) }),
    session: (id) => sessions.get(innerCaller(), id),
    rules: () => rules,
    now: () => new Date(),
    mounts: false,
  });
  const { settlement } = withEgressModes(judge, () => mode).judge({ ...subject, tier: "operator" }, intent);
  return `${settlement.kind} ${reported(judge.judge({ ...subject, tier: "operator" }, intent), mode) ?? "-"}`;
}

describe("a mode of an agent on the way out", () => {
  const rules = [rule("deny", "no.test"), rule("deny", "never.test", "managed"), rule("ask", "firm.test", "managed")];

  it.each<[EgressMode, string, string]>([
    ["enforce", "no.test", "deny -"],
    ["enforce", "x.test", "deny -"],
    ["report", "no.test", "allow user.deny.no.test"],
    ["report", "x.test", "allow ask"],
    ["open", "no.test", "deny -"],
    ["open", "x.test", "allow -"],
  ])("%s settles %s: %s", (mode, host, settled) => {
    expect(settle(mode, host, rules)).toBe(settled);
  });

  it.each<[EgressMode, string, string]>([
    ["enforce", "no.test", "deny -"],
    ["enforce", "x.test", "deny -"],
    ["report", "no.test", "allow user.deny.no.test"],
    ["report", "x.test", "allow ask"],
    ["report", "never.test", "deny managed.deny.never.test"],
    ["report", "127.0.0.1", "deny invariant.address"],
    ["open", "no.test", "deny -"],
    ["open", "x.test", "allow -"],
  ])("%s settles a fetch of %s alike: %s", (mode, host, settled) => {
    const fetches = rules.map((each) => ({ ...each, capability: "web_fetch" as const }));
    const head = { kind: "fetch", url: `https://${host}/`, method: "GET", headers: [], body: undefined } as const;
    expect(settle(mode, host, fetches, false, { ...head, maxBytes: 1, timeoutMs: 1, hop: 0 })).toBe(settled);
  });

  it("settles nothing else", () => {
    expect(settle("report", "", [], false, { kind: "use", capability: "mcp", name: "a/b" })).toMatch(/^deny/);
  });

  it.each<EgressMode>(["report", "open"])("%s lifts nothing that is hardcoded or managed", (mode) => {
    expect(settle(mode, "never.test", rules)).toMatch(/^deny/);
    expect(settle(mode, "firm.test", rules, true)).toMatch(/^ask/);
    expect(settle(mode, "firm.test", rules)).toMatch(/^deny/);
    expect(settle(mode, "127.0.0.1", rules)).toMatch(/^deny/);
    expect(settle(mode, "169.254.169.254", rules)).toMatch(/^deny/);
  });

  it("lets a person's question be where the agent's mode enforces", () => {
    expect(settle("enforce", "x.test", rules, true)).toBe("ask -");
  });
});
