import { describe, expect, it } from "vitest";
import type { Scope } from "../../src/model/scope.ts";
import { fakeFacts, path, rule, verdictBelow, verdictOf, workspaceScope } from "./world.ts";

describe("what lies below an admitted folder", () => {
  it("follows the rules entry by entry", () => {
    const rules = [
      rule({ capability: "fs_read", effect: "deny", match: ["secret", "**/*.key"] }),
      rule({ capability: "fs_read", effect: "ask", match: [".env"] }),
    ];
    const verdict = verdictBelow("read", "/work", { rules });
    expect(
      ["a", "secret", "secret/x", "sub/b.key", ".env", "sub/.env"].map((name) => verdict(`/work/${name}`)),
    ).toEqual(["allow", "deny", "deny", "deny", "ask", "allow"]);
  });

  it("never shows Sallyport's own folders", () => {
    const facts = fakeFacts({}, ["/work/.state"]);
    const verdict = verdictBelow("read", "/work", { facts, subject: { mode: "allow-all" } });
    expect([verdict("/work/.state"), verdict("/work/.state/db"), verdict("/work/x")]).toEqual([
      "deny",
      "deny",
      "allow",
    ]);
  });

  it("takes the answer for a folder outside as one for what is in it, but not where a rule speaks", () => {
    const rules = [
      rule({ capability: "fs_read", effect: "ask", match: ["/other/private"] }),
      rule({ capability: "fs_read", effect: "deny", match: ["/other/secret"] }),
    ];
    const verdict = verdictBelow("read", "/other", { rules });
    expect(["/other/a/b", "/other/private/x", "/other/secret", "/elsewhere"].map(verdict)).toEqual([
      "allow",
      "ask",
      "deny",
      "ask",
    ]);
  });

  it("takes the answer to a rule as one for what the same rule asks for, and no other rule", () => {
    const rules = [
      rule({ capability: "fs_read", effect: "ask", match: ["/work/data/**"] }),
      rule({ capability: "fs_read", effect: "ask", match: ["/work/data/x/**"] }),
    ];
    const verdict = verdictBelow("read", "/work/data", { rules });
    expect([verdict("/work/data/a"), verdict("/work/data/x/y")]).toEqual(["allow", "ask"]);
  });

  it("asks for protected files below a folder that may be written", () => {
    const verdict = verdictBelow("write", "/work");
    expect([verdict("/work/a"), verdict("/work/.git/hooks/x"), verdict("/work/CLAUDE.md")]).toEqual([
      "allow",
      "ask",
      "ask",
    ]);
    expect(verdictBelow("write", "/work", { subject: { mode: "allow-all" } })("/work/.git/hooks/x")).toBe("ask");
  });

  it("does not take the answer of one scope for another", () => {
    const vendor: Scope = { root: path("/work/vendor"), access: "ro", lasts: "always" };
    const scopes = [workspaceScope, vendor];
    expect(verdictBelow("write", "/work", { scopes })("/work/vendor/x")).toBe("ask");
    expect(verdictBelow("write", "/work/vendor", { scopes })("/work/vendor/x")).toBe("allow");
    const outside: Scope = { root: path("/other/ro"), access: "ro", lasts: "always" };
    expect(verdictBelow("write", "/other", { scopes: [outside] })("/other/ro/x")).toBe("ask");
  });

  it("lets a mode answer what a mode answers", () => {
    const rules = [rule({ capability: "fs_read", effect: "ask", match: [".env"] })];
    const managed = [rule({ capability: "fs_read", effect: "ask", match: [".env"], source: "managed" })];
    expect(verdictBelow("read", "/work", { rules, subject: { mode: "allow-all" } })("/work/.env")).toBe("allow");
    expect(verdictBelow("read", "/work", { rules: managed, subject: { mode: "allow-all" } })("/work/.env")).toBe("ask");
    expect(verdictBelow("read", "/work", { subject: { mode: "supervised" } })("/work/a")).toBe("allow");
  });

  it("tells what rules say of the folder itself, whatever was answered", () => {
    const rules = [rule({ capability: "fs_read", effect: "deny", match: ["secret"] })];
    const said = (place: string) => verdictOf("read", place, { rules, subject: { mode: "allow-all" } });
    expect([said("/work"), said("/work/secret/x"), said("/other")]).toEqual(["allow", "deny", "ask"]);
  });

  it("refuses a folder that is refused by now, and a tier that may not", () => {
    const rules = [rule({ capability: "fs_read", effect: "deny", match: ["/work/a"] })];
    expect(() => verdictBelow("read", "/work/a", { rules })).toThrow("denies it");
    expect(() => verdictBelow("write", "/work", { subject: { tier: "read-only" } })).toThrow("tier");
  });
});
