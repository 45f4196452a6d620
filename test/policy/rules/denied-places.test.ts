import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/model/rule.ts";
import { deniedPlaces } from "../../../src/policy/rules/denied-places.ts";
import { path, rule } from "../world.ts";

const world = { home: path("/home/u"), workspace: path("/work") };

describe("the places that a sandbox can hide", () => {
  it.each([
    [["secret"], ["/work/secret"]],
    [["secret/**"], ["/work/secret"]],
    [
      ["~/.ssh", "/work/a/b"],
      ["/home/u/.ssh", "/work/a/b"],
    ],
    [["{x,y}/key"], ["/work/x/key", "/work/y/key"]],
    [["*.pem"], []],
    [["a/**/key"], []],
    [["a/*"], []],
    [["/**"], []],
  ])("%s are %s", (match, places) => {
    expect(deniedPlaces("fs_read", [rule({ capability: "fs_read", effect: "deny", match })], world)).toEqual(places);
  });

  it("are those of every capability that reads, and of denials without exceptions alone", () => {
    const of = (change: Partial<Rule>): readonly string[] =>
      deniedPlaces("fs_read", [rule({ capability: "fs_read", effect: "deny", match: ["s"], ...change })], world);
    expect(of({ capability: "filesystem" })).toEqual(["/work/s"]);
    expect(of({ capability: "all" })).toEqual(["/work/s"]);
    expect(of({ capability: "fs_write" })).toEqual([]);
    expect(of({ capability: "fs_read", effect: "ask" })).toEqual([]);
    expect(of({ capability: "fs_read", exclude: ["s/public"] })).toEqual([]);
  });

  it("of writing are those of every capability that writes", () => {
    const of = (capability: Rule["capability"]): readonly string[] =>
      deniedPlaces("fs_write", [rule({ capability, effect: "deny", match: ["s"] })], world);
    expect(of("fs_write")).toEqual(["/work/s"]);
    expect(of("filesystem")).toEqual(["/work/s"]);
    expect(of("fs_read")).toEqual([]);
  });
});
