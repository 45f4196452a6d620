import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTrees, searchIn, shown } from "../support/trees.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

let w: Workspace;
beforeEach(() => {
  w = makeWorkspace({}, (path) => (/\/secret(\/|$)/.test(path) ? "deny" : "allow"));
});
afterEach(() => w.remove());

interface Claim {
  readonly path: unknown;
  readonly text?: string;
  readonly offset?: unknown;
  readonly spans?: unknown;
}

/** A search program that claims whatever a test wants. */
async function claiming(...claims: readonly Claim[]): Promise<string[]> {
  const lines = claims.map(({ path, text = "line\n", offset = 0, spans = [] }) =>
    JSON.stringify({
      type: "match",
      data: {
        path: typeof path === "string" ? { text: path } : path,
        lines: { text },
        line_number: 1,
        absolute_offset: offset,
        submatches: spans,
      },
    }),
  );
  const program = join(w.root, "..", "liar");
  const output = [...lines, '{"type":"summary"}'].join("\n");
  writeFileSync(program, `#!/bin/sh\ncat <<'END'\n${output}\nEND\n`);
  chmodSync(program, 0o755);
  return shown(w, await searchIn(w, await makeTrees({ ripgrep: program }), { pattern: "x" }));
}

describe("what a search program claims", () => {
  beforeEach(() => {
    writeFileSync(w.at("f"), "line\nmore\n");
    mkdirSync(w.at("d"));
    writeFileSync(w.at("d/f"), "line\n");
    writeFileSync(join(w.root, "..", "outside"), "line\n");
    symlinkSync("../outside", w.at("link"));
    symlinkSync("..", w.at("up"));
    mkdirSync(w.at("secret"));
    writeFileSync(w.at("secret/f"), "line\n");
  });

  it("is shown where the file holds it", async () => {
    expect(await claiming({ path: "./f" }, { path: "./f", text: "more\n", offset: 5 }, { path: "./d/f" })).toEqual([
      "d/f:1:line",
      "f:1:line",
      "f:1:more",
    ]);
  });

  it.each([
    "./link",
    "./up/outside",
    "./../outside",
    "../outside",
    "./d/../f",
    "./d/./f",
    "./d//f",
    "./secret/f",
    "./d",
    "./nothing",
    "f",
    "/etc/passwd",
    "",
    ".",
    "./",
    `./${"d/".repeat(3000)}f`,
    "./f\0",
  ])("is dropped for %j", async (path) => {
    expect(await claiming({ path }, { path: "./f" })).toEqual(["f:1:line"]);
  });

  it("is dropped where the bytes are others, or elsewhere", async () => {
    for (const claim of [
      { path: "./f", text: "lime\n" },
      { path: "./f", offset: 1 },
      { path: "./f", offset: 1_000_000 },
      { path: "./f", text: "line\nmore\nnothing\n" },
    ])
      expect(await claiming(claim, { path: "./d/f" })).toEqual(["d/f:1:line"]);
  });

  it("is dropped where it makes no sense", async () => {
    for (const claim of [
      { path: 7 },
      { path: { bytes: 7 } },
      { path: "./f", offset: -1 },
      { path: "./f", offset: 1.5 },
      { path: "./f", offset: "0" },
      { path: "./f", spans: [{ start: 2, end: 1 }] },
      { path: "./f", spans: [null] },
      { path: "./f", spans: "all" },
    ])
      expect(await claiming(claim, { path: "./d/f" })).toEqual(["d/f:1:line"]);
  });

  it("is dropped where the file went away", async () => {
    rmSync(w.at("f"));
    expect(await claiming({ path: "./f" }, { path: "./d/f" })).toEqual(["d/f:1:line"]);
  });
});
