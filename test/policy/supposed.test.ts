import { describe, expect, it } from "vitest";
import { fakeFacts, judge, rule, shell } from "./world.ts";

const denied = rule({ id: "no-key", capability: "fs_read", effect: "deny", match: ["key.pem", "secret"] });
const asked = rule({ id: "ask-key", capability: "fs_read", effect: "ask", match: ["key.pem"], source: "managed" });
const fixed = rule({ id: "no-write", capability: "fs_write", effect: "deny", match: ["tests/**"] });
const everything = rule({ capability: "all", effect: "allow", match: ["*", "/**"] });

describe("files that words name", () => {
  it.each([
    "mytool key.pem",
    "mytool --config=key.pem",
    "mytool -ikey.pem",
    "mytool @key.pem",
    "docker run -v ./secret:/s x",
    "vim -c 'r key.pem' x",
    `python3 -c 'print(open("key.pem").read())'`,
    "python3 - <<'EOF'\nprint(open('secret/x').read())\nEOF",
    "echo secret/*",
  ])("are denied where a rule denies them and nobody can tell what becomes of them: %s", (text) => {
    const { decision, settlement } = judge(shell(text), {
      rules: [denied, everything],
      subject: { mode: "allow-all" },
    });
    expect(settlement.kind).toBe("deny");
    expect(decision.findings.some(({ rules }) => rules.some(({ id }) => id === "no-key"))).toBe(true);
  });

  it("ask where a managed rule asks, in every mode", () => {
    expect(judge(shell("mytool key.pem"), { rules: [asked], subject: { mode: "allow-all" } }).settlement.kind).toBe(
      "ask",
    );
    expect(judge(shell("mytool other"), { rules: [asked], subject: { mode: "allow-all" } }).settlement.kind).toBe(
      "allow",
    );
  });

  it("are no reason to ask where no rule names them", () => {
    const allowed = rule({ capability: "shell", effect: "allow", match: ["mytool *"] });
    expect(judge(shell("mytool run key.pem"), { rules: [allowed] }).settlement.kind).toBe("allow");
  });

  it.each(["git commit -m 'move key.pem'", "echo key.pem", "npm run secret", "ls"])(
    "are not looked for in words that are understood: %s",
    (text) => {
      const { decision } = judge(shell(text), { rules: [denied] });
      expect(decision.findings.flatMap(({ rules }) => rules.map(({ id }) => id))).toEqual([]);
    },
  );

  it("may be written by a program in no table, too", () => {
    const { settlement } = judge(shell("mytool tests/a"), {
      rules: [fixed, everything],
      subject: { mode: "allow-all" },
    });
    expect(settlement.kind).toBe("deny");
  });

  it("are followed to where they lead", () => {
    const facts = fakeFacts({ links: { "/work/link": "/work/secret/x" } });
    const { settlement } = judge(shell("mytool link"), {
      rules: [denied, everything],
      facts,
      subject: { mode: "allow-all" },
    });
    expect(settlement.kind).toBe("deny");
  });

  it("ask where there are more than are looked at", () => {
    const many = Array.from({ length: 5000 }, (_, at) => `n${at}`).join(" ");
    const { settlement } = judge(shell(`python3 - <<'EOF'\n${many}\nEOF`), { subject: { mode: "allow-all" } });
    expect(settlement.kind).toBe("ask");
  });
});
