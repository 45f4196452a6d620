import { describe, expect, it } from "vitest";
import type { Mode } from "../../src/model/subject.ts";
import { settle } from "../../src/policy/settle.ts";
import { judged, opaque, run, touch } from "./effects.ts";
import { rule } from "./world.ts";

const read = touch("read", "/work/a");
const write = touch("write", "/work/a");
const push = run("git push");
const allowWrites = rule({ capability: "fs_write", effect: "allow", match: ["/work"] });
const askManaged = rule({ capability: "shell", effect: "ask", match: ["git push*"], source: "managed" });
const askUser = rule({ capability: "shell", effect: "ask", match: ["git push*"] });
const denyUser = rule({ capability: "shell", effect: "deny", match: ["git push*"] });

const cases: readonly (readonly [string, Parameters<typeof judged>, Readonly<Record<Mode, string>>])[] = [
  ["a read in scope", [[read]], { supervised: "ask", ask: "allow", autopilot: "allow", "allow-all": "allow" }],
  [
    "a write that the folder covers",
    [[write]],
    { supervised: "ask", ask: "ask", autopilot: "allow", "allow-all": "allow" },
  ],
  [
    "a write that a rule allows",
    [[write], { rules: [allowWrites] }],
    { supervised: "ask", ask: "allow", autopilot: "allow", "allow-all": "allow" },
  ],
  ["a command without a rule", [[push]], { supervised: "ask", ask: "ask", autopilot: "ask", "allow-all": "allow" }],
  [
    "a command that a user's rule asks for",
    [[push], { rules: [askUser] }],
    { supervised: "ask", ask: "ask", autopilot: "ask", "allow-all": "allow" },
  ],
  [
    "a command that a managed rule asks for",
    [[push], { rules: [askManaged] }],
    { supervised: "ask", ask: "ask", autopilot: "ask", "allow-all": "ask" },
  ],
  [
    "a command that a rule denies",
    [[push], { rules: [denyUser] }],
    { supervised: "deny", ask: "deny", autopilot: "deny", "allow-all": "deny" },
  ],
  [
    "what cannot be decided",
    [[opaque("eval $X", "dynamic")]],
    { supervised: "ask", ask: "ask", autopilot: "ask", "allow-all": "ask" },
  ],
  [
    "the insides of a program",
    [[opaque("make", "program")]],
    { supervised: "ask", ask: "ask", autopilot: "ask", "allow-all": "allow" },
  ],
  [
    "a write to a hook",
    [[touch("write", "/work/.git/hooks/x")]],
    { supervised: "ask", ask: "ask", autopilot: "ask", "allow-all": "ask" },
  ],
  ["nothing", [[]], { supervised: "deny", ask: "deny", autopilot: "deny", "allow-all": "deny" }],
];

describe("modes", () => {
  it.each(cases)("%s", (_name, args, expected) => {
    for (const mode of ["supervised", "ask", "autopilot", "allow-all"] as const) {
      expect(settle(judged(...args), { mode, attended: true }).kind, mode).toBe(expected[mode]);
      expect(settle(judged(...args), { mode, attended: false }).kind, `${mode}, unattended`).toBe(
        expected[mode] === "ask" ? "deny" : expected[mode],
      );
    }
  });

  it("says who settled it", () => {
    expect(settle(judged([push]), { mode: "allow-all", attended: true })).toEqual({
      kind: "allow",
      by: { kind: "mode" },
    });
    expect(settle(judged([read]), { mode: "autopilot", attended: true })).toEqual({
      kind: "allow",
      by: { kind: "rule" },
    });
    const tier = settle(judged([push], { tier: "builder" }), { mode: "allow-all", attended: true });
    expect(tier).toMatchObject({ kind: "deny", by: { kind: "tier" } });
  });

  it("names exactly the open parts", () => {
    const settled = settle(judged([read, push, write]), { mode: "autopilot", attended: true });
    expect(settled.kind === "ask" ? settled.open.map((finding) => finding.effect) : []).toEqual([push]);
  });

  it("names the missing permissions where nobody can be asked", () => {
    const settled = settle(judged([push, touch("read", "/etc/x")]), { mode: "autopilot", attended: false });
    expect(settled).toMatchObject({
      kind: "deny",
      by: { kind: "mode" },
      next: `Nobody can be asked here. Missing: allow shell "git push"; allow fs_read "/etc/x".`,
    });
  });
});
