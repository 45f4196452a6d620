import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createEventMeter } from "../../src/files/watch/event-meter.ts";
import { Problem } from "../../src/model/problem.ts";
import type { Verdict } from "../../src/model/verdict.ts";
import { writeTo } from "./support/acts.ts";
import { makeTrees, watchIn, type Watched } from "./support/trees.ts";
import { makeWorkspace, problemOf, type Workspace } from "./support/workspace.ts";

const trees = await makeTrees();
let w: Workspace;
let watch: Watched | undefined;
beforeEach(() => {
  w = makeWorkspace();
  mkdirSync(w.at("d"));
  writeFileSync(w.at("d/f"), "");
});
afterEach(async () => {
  await watch?.stop();
  watch = undefined;
  w.remove();
});

/** A change that comes last, so that nothing else comes. */
async function seen(): Promise<string[]> {
  writeFileSync(w.at("last"), "");
  const all = await watch?.until("changed last");
  return (all ?? []).slice(0, -1).toSorted();
}

describe("a watch", () => {
  it("tells what comes, changes and goes, at any depth", async () => {
    watch = await watchIn(w, trees);
    appendFileSync(w.at("d/f"), "x");
    expect(await watch.next()).toBe("changed d/f");
    mkdirSync(w.at("e/g/h"), { recursive: true });
    writeFileSync(w.at("e/g/h/i"), "");
    expect(await watch.until("changed e/g/h/i")).toContain("changed e/g");
    rmSync(w.at("d"), { recursive: true });
    await watch.until("removed d");
  });

  it("makes one of changes that follow each other", async () => {
    watch = await watchIn(w, trees);
    for (let round = 0; round < 500; round += 1) appendFileSync(w.at("d/f"), "x");
    expect(await seen()).toEqual(["changed d/f"]);
  });

  it("follows folders that are renamed within it, and forgets those that leave it", async () => {
    watch = await watchIn(w, trees);
    renameSync(w.at("d"), w.at("moved"));
    expect((await watch.until("changed moved/f")).toSorted()).toEqual([
      "changed moved",
      "changed moved/f",
      "removed d",
    ]);
    appendFileSync(w.at("moved/f"), "x");
    expect(await watch.next()).toBe("changed moved/f");
    renameSync(w.at("moved"), join(w.root, "..", "outside"));
    expect(await watch.next()).toBe("removed moved");
    writeFileSync(join(w.root, "..", "outside", "secret"), "");
    expect(await seen()).toEqual([]);
  });

  it("tells of a folder that took another's place", async () => {
    watch = await watchIn(w, trees);
    rmSync(w.at("d"), { recursive: true });
    mkdirSync(w.at("d"));
    writeFileSync(w.at("d/new"), "");
    await watch.until("changed d/new");
    appendFileSync(w.at("d/new"), "x");
    expect(await watch.next()).toBe("changed d/new");
  });

  it("enters no links, and tells nothing of where they lead", async () => {
    const outside = join(w.root, "..", "outside");
    mkdirSync(outside);
    watch = await watchIn(w, trees);
    symlinkSync(outside, w.at("l"));
    expect(await watch.next()).toBe("changed l");
    writeFileSync(join(outside, "secret"), "");
    expect(await seen()).toEqual([]);
  });

  it("keeps names of any bytes", async () => {
    watch = await watchIn(w, trees);
    writeFileSync(Buffer.concat([Buffer.from(`${w.root}/d/a`), Buffer.from([0xff])]), "x");
    expect(await watch.next()).toBe("changed d/a\udcff");
  });

  it("says nothing of a write's own temporary file", async () => {
    watch = await watchIn(w, trees);
    await writeTo(w, w.at("d/f"), "new");
    expect(await seen()).toEqual(["changed d/f"]);
  });

  it("leaves out what ignore files name, and the repository's own folder", async () => {
    writeFileSync(w.at(".gitignore"), "out/\n*.log\n");
    for (const folder of ["out", ".git", "d/out"]) mkdirSync(w.at(folder));
    watch = await watchIn(w, trees);
    for (const file of ["out/a", ".git/b", "d/out/c", "d/x.log", "d/y"]) writeFileSync(w.at(file), "");
    rmSync(w.at("out"), { recursive: true });
    expect(await seen()).toEqual(["changed d/y"]);
    await watch.stop();
    watch = await watchIn(w, trees, {}, { includeIgnored: true });
    writeFileSync(w.at(".git/b"), "x");
    expect(await watch.next()).toBe("changed .git/b");
  });

  it("says that changes were lost where there were too many to keep, and goes on", async () => {
    mkdirSync(w.at("d/new"));
    watch = await watchIn(w, trees);
    execFileSync("bash", ["-c", 'cd "$1"; mkdir new/sub; for i in {1..6000}; do : > new/$i; done', "bash", w.at("d")]);
    await watch.until("overflow");
    await seen();
    // What came meanwhile is watched, too.
    writeFileSync(w.at("d/new/sub/later"), "");
    expect(await watch.next()).toBe("changed d/new/sub/later");
  });

  it("says that changes were lost where the kernel's queue was full, which nobody else tells", async () => {
    for (const file of ["a", "b"]) writeFileSync(w.at(file), "");
    watch = await watchIn(w, trees);
    execFileSync("bash", ["-c", 'cd "$1"; for i in {1..9000}; do echo >> a; echo >> b; done', "bash", w.root]);
    expect(await watch.until("overflow")).toEqual(["overflow"]);
    expect(await seen()).toEqual([]);
  });

  it("ends where the folder goes away", async () => {
    watch = await watchIn(w, trees);
    rmSync(w.root, { recursive: true });
    const end = async (): Promise<void> => void (await watch?.until("end"));
    expect(await problemOf(end())).toMatchObject({ code: "not_found" });
  });

  it("refuses a file, and more folders than there is room for", async () => {
    expect(await problemOf(watchIn(w, trees, {}, { path: w.at("d/f") }))).toMatchObject({
      code: "failed_precondition",
    });
    const small = await makeTrees({ maxWatched: 2 });
    watch = await watchIn(w, small);
    const second = await problemOf(watchIn(w, small));
    expect(second).toMatchObject({ code: "resource_exhausted" });
    await watch.stop();
    // What it held is given back, also what the refused one held.
    watch = await watchIn(w, small);
    mkdirSync(w.at("third"));
    const end = async (): Promise<void> => void (await watch?.until("end"));
    expect(await problemOf(end())).toMatchObject({ code: "resource_exhausted" });
  });

  it("leaves no descriptor open", async () => {
    const before = readdirSync("/proc/self/fd").length;
    watch = await watchIn(w, trees);
    await watch.stop();
    expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before + 1);
  });
});

describe("what may not be read", () => {
  it("is not named, whatever happens to it", async () => {
    for (const folder of ["secret", "private"]) mkdirSync(w.at(folder));
    const verdict = (path: string): Verdict =>
      /\/secret(\/|$)/.test(path) ? "deny" : /\/private(\/|$)/.test(path) ? "ask" : "allow";
    watch = await watchIn(w, trees, { verdict });
    writeFileSync(w.at("secret/a"), "");
    writeFileSync(w.at("private/b"), "");
    rmSync(w.at("secret"), { recursive: true });
    mkdirSync(w.at("secret"));
    renameSync(w.at("d/f"), w.at("secret/f"));
    expect(await seen()).toEqual(["removed d/f"]);
    rmSync(w.at("private"), { recursive: true });
    expect(await seen()).toEqual(["removed private"]);
  });

  it("is not named either where a rule came later, also below a folder that it names", async () => {
    const law = { denied: "nothing" };
    watch = await watchIn(w, trees, { verdict: (path) => (path.endsWith(law.denied) ? "deny" : "allow") });
    law.denied = "/d";
    writeFileSync(w.at("d/new"), "");
    expect(await seen()).toEqual([]);
  });

  it.each<[string, Verdict]>([
    ["would ask", "ask"],
    ["is denied", "deny"],
  ])("ends a watch over it by itself: it %s by now", async (_name, verdict) => {
    const law: { root: Verdict } = { root: "allow" };
    watch = await watchIn(w, trees, { of: () => law.root });
    law.root = verdict;
    expect(await problemOf(watch.next())).toMatchObject({ code: "permission_denied" });
  });

  it("ends where the session is closed", async () => {
    const law = { open: true };
    watch = await watchIn(w, trees, {
      of: () => {
        if (!law.open) throw new Problem("not_found", "session: not open");
        return "allow";
      },
    });
    law.open = false;
    expect(await problemOf(watch.next())).toMatchObject({ code: "not_found" });
  });
});

describe("the meter of events", () => {
  it("takes a turn that brings half a queue for a loss, and nothing less", async () => {
    const meter = createEventMeter(10);
    let losses = 0;
    const stop = meter.onLoss(() => (losses += 1));
    for (let turn = 0; turn < 5; turn += 1) {
      for (let event = 0; event < 4; event += 1) meter.count();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(losses).toBe(0);
    for (let event = 0; event < 20; event += 1) meter.count();
    expect(losses).toBe(1);
    stop();
    await new Promise((resolve) => setImmediate(resolve));
    for (let event = 0; event < 20; event += 1) meter.count();
    expect(losses).toBe(1);
  });
});
