import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AbsolutePath, parseAbsolutePath } from "../../src/model/absolute-path.ts";
import type { Action } from "../../src/model/action.ts";
import { parseSessionId } from "../../src/model/ids.ts";
import { judgeOffline } from "../../src/policy/offline-judge.ts";
import { operandStates } from "../../src/wiring/operand-states.ts";
import { present } from "../audit/fixture.ts";
import { temporaryFolder } from "../audit/folders.ts";

function statesIn(folder: string, text: string): string {
  const workspace = present(parseAbsolutePath(folder));
  const situation = { home: workspace, workspace, mode: "ask", tier: "full", attended: true, rules: [] } as const;
  const states = operandStates(
    judgeOffline(
      {
        kind: "exec",
        command: { kind: "shell", shell: "bash", text },
        cwd: workspace,
        env: {},
        stdin: false,
        background: false,
        limits: { timeoutMs: 0, outputBytes: 0 },
      },
      situation,
    ),
  );
  return JSON.stringify(states.filter(({ kind }) => kind === "file"));
}

describe("the states of what a change of files is about", () => {
  const session = present(parseSessionId("s1"));
  const decision = { verdict: "ask", findings: [] } as const;

  it.each<[string, (path: AbsolutePath, other: AbsolutePath) => Action]>([
    ["an edit", (path) => ({ kind: "edit", path, change: "", session })],
    ["a removal", (path) => ({ kind: "remove", path, recursive: true, session })],
    ["a move", (path, other) => ({ kind: "move", from: other, to: path, overwrite: true, session })],
    ["a copy", (path, other) => ({ kind: "copy", from: path, to: other, overwrite: true, recursive: true, session })],
    [
      "a write",
      (path) => ({ kind: "write", path, disposition: "overwrite", makeParents: false, mode: 0o644, session }),
    ],
  ])("differ for %s where it was written, replaced, made or removed meanwhile", (_what, actionOn) => {
    const folder = temporaryFolder();
    const [path, other] = ["f", "g"].map((name) => present(parseAbsolutePath(join(folder, name))));
    if (path === undefined || other === undefined) throw new Error("no paths");
    const state = () => JSON.stringify(operandStates({ decision, action: actionOn(path, other) }));
    const seen = new Set([state()]);
    const steps = [
      () => writeFileSync(path, "a"),
      () => writeFileSync(path, "bb"),
      () => chmodSync(path, 0o600),
      () => rmSync(path),
      () => symlinkSync(other, path),
      () => rmSync(path),
      () => mkdirSync(path),
      () => writeFileSync(join(path, "new"), "x"),
    ];
    for (const step of steps) {
      step();
      expect(state()).toBe(state());
      seen.add(state());
    }
    // Nothing was there three times.
    expect(seen.size).toBe(steps.length + 1 - 2);
  });

  it("are empty for what adds at the end: others may add meanwhile", () => {
    const path = present(parseAbsolutePath(join(temporaryFolder(), "log")));
    const action = { kind: "write", path, disposition: "append", makeParents: false, mode: 0o644, session } as const;
    expect(operandStates({ decision, action })).toEqual([]);
  });
});

describe("the states of operands", () => {
  const changes: readonly (readonly [string, (file: string) => void])[] = [
    ["rewritten", (file) => writeFileSync(file, "echo twice")],
    [
      "replaced by a file of the same content",
      (file) => {
        writeFileSync(`${file}.new`, "echo one");
        renameSync(`${file}.new`, file);
      },
    ],
    [
      "made a link",
      (file) => {
        writeFileSync(`${file}.other`, "echo one");
        rmSync(file);
        symlinkSync(`${file}.other`, file);
      },
    ],
    ["given other rights", (file) => chmodSync(file, 0o700)],
    ["removed", (file) => rmSync(file)],
  ];
  it.each(changes)("differ where a script was %s", (_how, change) => {
    for (const text of ["sh s.sh", "./s.sh", "python3 s.sh", "sh < s.sh", "cat s.sh | sh", ". ./s.sh", "env sh s.sh"]) {
      const folder = temporaryFolder();
      const file = join(folder, "s.sh");
      writeFileSync(file, "echo one", { mode: 0o755 });
      const before = statesIn(folder, text);
      expect(before, text).toContain(file);
      expect(statesIn(folder, text), text).toBe(before);
      change(file);
      expect(statesIn(folder, text), text).not.toBe(before);
    }
  });

  it("are those of files alone, and of commands with an unseen part alone", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "a"), "x");
    expect(statesIn(folder, "rm a")).toBe("[]");
    const before = statesIn(folder, "sh a -c $x");
    writeFileSync(join(folder, "b"), "y");
    expect(statesIn(folder, "sh a -c $x")).toBe(before);
  });
});
