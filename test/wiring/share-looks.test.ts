import { describe, expect, it } from "vitest";
import type { AbsolutePath } from "../../src/model/absolute-path.ts";
import type { Facts, Located } from "../../src/model/facts.ts";
import { shareLooks } from "../../src/wiring/share-looks.ts";

const path = "/work" as AbsolutePath;

function setUp(located: (path: AbsolutePath) => Located) {
  const looks: string[] = [];
  const bare = {
    locate(place: AbsolutePath) {
      looks.push(place);
      return located(place);
    },
  } as unknown as Facts;
  return { facts: shareLooks(bare), looks };
}

describe("shared looks", () => {
  it("ask once for a path in one go, and again after the shortest wait", async () => {
    const { facts, looks } = setUp((real) => ({ real, kind: "folder" }));
    expect([facts.locate(path), facts.locate(path), facts.locate("/" as AbsolutePath)]).toEqual([
      { real: "/work", kind: "folder" },
      { real: "/work", kind: "folder" },
      { real: "/", kind: "folder" },
    ]);
    expect(looks).toEqual(["/work", "/"]);
    await Promise.resolve();
    facts.locate(path);
    expect(looks).toEqual(["/work", "/", "/work"]);
  });

  it("keep no failure", () => {
    const { facts, looks } = setUp(() => {
      throw new Error("a loop");
    });
    expect(() => facts.locate(path)).toThrow("a loop");
    expect(() => facts.locate(path)).toThrow("a loop");
    expect(looks).toHaveLength(2);
  });
});
