import { describe, expect, it } from "vitest";
import { analyseArgv } from "../../../src/policy/shell/analyse-argv.ts";
import { fakeFacts, path } from "../world.ts";
import { analyse, blockedBy, tell, told } from "./analyse.ts";

function runs(text: string): string[] {
  return told(text).filter((line) => line.startsWith("run "));
}

describe("commands", () => {
  it.each([
    ["ls -la; pwd && echo hi | cat -n & true", ["run ls -la", "run pwd", "run echo hi", "run cat -n", "run true"]],
    ["if a; then b; elif c; then d; else e; fi", ["run a", "run b", "run c", "run d", "run e"]],
    ["while a; do b; done; until c; do d; done", ["run a", "run b", "run c", "run d"]],
    ["case $1 in x) a;; y) b;& z) c;; esac", ["run a", "run b", "run c"]],
    ["(a; { b; }) > out", ["run a", "run b"]],
    ["for f in x y; do touch $f; done", ["run touch x", "run touch y"]],
    ["! a; time b; coproc c", ["run a", "run b", "run c"]],
    ['echo $(a $(b)) `c` <(d) "$(e)"', ["run b", "run a $(b)", "run c", "run d", "run e"]],
    ["x=$(a); y=(b $(c)); z[$(d)]=1", ["run a", "run c", "run d"]],
    ["[[ -n $(a) && $(b) == c ]]; (( x = $(d) + 1 ))", ["run a", "run b", "run d"]],
    ["cat <<E\n$(a) `b`\nE", ["run a", "run b", "run cat"]],
    ["cat <<'E'\n$(a)\nE", ["run cat"]],
    ['f() { a "$1"; }; f b', ["run a b"]],
    ["echo 'a b' \"c d\" e\\ f $'\\x67'", ["run echo 'a b' 'c d' 'e f' g"]],
  ])("%j", (text, expected) => {
    const found = runs(text).filter((line) => !/^run echo "?\$|^run echo .*<\(/.test(line));
    expect(found).toEqual(expected);
  });

  it("keeps the forms of wrappers as aliases", () => {
    expect(runs("env A=1 nice -n5 ls -l")).toEqual(["run ls -l in env A=1 nice -n5 ls -l in nice -n5 ls -l"]);
    expect(runs("bash -c 'ls; pwd'")).toEqual(["run ls in bash -c 'ls; pwd'", "run pwd in bash -c 'ls; pwd'"]);
    expect(runs("find . -exec wc -l {} +")).toEqual([
      "run find . -exec wc -l {} +",
      "run wc -l ./** in find . -exec wc -l {} +",
    ]);
  });

  it("judges what a project runner runs by the runner's own form", () => {
    expect(runs("npx vitest run")).toEqual(["run npx vitest run"]);
    expect(runs("poetry run pytest -q")).toEqual(["run poetry run pytest -q"]);
  });

  it.each([
    "git status --short",
    "npm test",
    "ls -la src | cat",
    "cat < a.txt",
    "mkdir -p a/b && cp x a/b/",
    'echo "$USER"',
    'for f in a b; do wc -l "$f"; done',
  ])("sees all of %j", (text) => {
    expect(told(text).filter((line) => line.startsWith("opaque"))).toEqual([]);
  });

  it("marks a run of unknown words", () => {
    expect(analyse("git log $X").effects).toContainEqual(
      expect.objectContaining({ kind: "run", text: "git log $X", dynamic: true }),
    );
  });
});

describe("folders", () => {
  it.each([
    ["cd a && touch x", ["/work/a/x"]],
    ["cd a; touch x", ["/work/a/x"]],
    ["cd a || touch x", ["/work/x"]],
    ["cd a && touch x || touch y", ["/work/a/x", "/work/y", "/work/a/y"]],
    ["(cd a; touch x); touch y", ["/work/a/x", "/work/y"]],
    ["{ cd a; }; touch x", ["/work/x", "/work/a/x"]],
    ["cd a | touch x", ["/work/x"]],
    ["if t; then cd a; fi; touch x", ["/work/x", "/work/a/x"]],
    ["pushd a && touch x && popd && touch y", ["/work/a/x", "/work/y"]],
    ["env -C a touch x; touch y", ["/work/a/x", "/work/y"]],
    ["f() { cd a; }; f; touch x", ["/work/a/x", "/work/x"]],
    ["cd a && cd .. && touch x", ["/work/x"]],
    ["cd; touch x", ["/home/u/x"]],
    ["bash -c 'cd a; touch x'; touch y", ["/work/a/x", "/work/y"]],
  ])("%j writes %j", (text, expected) => {
    const writes = told(text).flatMap((line) => (line.startsWith("write ") ? [line.slice(6)] : []));
    expect(writes.toSorted()).toEqual(expected.toSorted());
  });

  it("does not know the folder behind an unknown cd", () => {
    expect(told('cd "$D" && touch x')).toContain("opaque dynamic: the folder in which it runs is not known");
  });

  it("goes by where links lead", () => {
    const disk = { links: { "/work/l": "/" } };
    expect(blockedBy("cd l && rm -rf *", disk)).toEqual(["blocklist.recursive-delete"]);
    expect(blockedBy("rm -rf l/*", disk)).toEqual(["blocklist.recursive-delete"]);
    expect(blockedBy("rm -rf l/etc/../.", disk)).toEqual(["blocklist.recursive-delete"]);
    expect(blockedBy("rm -rf l", disk)).toEqual([]);
    expect(blockedBy("cd d/.. && rm -rf *", { links: { "/work/d": "/tmp/x" } })).toEqual([]);
    expect(blockedBy("rm -rf d/../*", { links: { "/work/d": "/home/u/x" } })).toEqual([]);
    expect(blockedBy("rm -rf d/..", { links: { "/work/d": "/home/u/x" } })).toEqual(["blocklist.recursive-delete"]);
  });
});

describe("variables", () => {
  it.each([
    ["D=out; touch $D/x", "run touch out/x"],
    ["D='a b'; touch $D \"$D\"", "run touch a b 'a b'"],
    ["export D=out; sh -c 'touch $D'", "run touch out in sh -c 'touch $D'"],
    ["D=a; D+=b; touch $D", "run touch ab"],
    ['set -- a b; touch "$2" "$@"', "run touch b a b"],
    ["D=; touch ${D:-x}", "run touch x"],
    ['for f in *.ts b; do wc -l "$f.x"; done', "run wc -l *.ts.x"],
    ["git commit -m \"$(cat <<'E'\na 'b'\nE\n)\"", `run git commit -m "a 'b'"`],
  ])("%j", (text, expected) => {
    expect(runs(text)).toContain(expected);
  });

  it.each([
    "D=a; unset D; touch $D",
    "D=a; read D; touch $D",
    "D=a; if t; then D=b; fi; touch $D",
    "touch $(echo a)",
    "for i in *; do touch $i; done",
    "D=a; IFS=b; touch $D",
  ])("does not know the word in %j", (text) => {
    expect(told(text).some((line) => line.startsWith("opaque dynamic"))).toBe(true);
  });
});

describe("argv", () => {
  it("takes words as they are", () => {
    const world = { cwd: path("/work"), facts: fakeFacts() };
    expect(analyseArgv(["touch", "$HOME/*"], world).effects.map(tell)).toEqual([
      String.raw`run touch \$HOME/\*`,
      "write /work/$HOME/*",
    ]);
    expect(analyseArgv(["rm", "-rf", "~"], world).blocked).toEqual([]);
    expect(analyseArgv(["sh", "-c", "sudo id"], world).blocked).toHaveLength(1);
    expect(analyseArgv(["env", "A=1", "rm", "-r", "/"], world).blocked).toHaveLength(1);
  });
});

describe("a backslash at the end of a text", () => {
  it.each(["true\nsudo\\", "sudo\\", "sh -c 'true\nsudo\\'", "echo 'sudo id' | bash\\"])(
    "hides no forbidden program in %j",
    (text) => {
      const { effects, blocked } = analyse(text);
      expect(blocked.map(({ rule }) => rule.id)).toContain("blocklist.sudo");
      expect(effects.some((effect) => effect.kind === "opaque" && effect.cause === "syntax")).toBe(true);
    },
  );

  it("asks nothing more where it is escaped", () => {
    expect(analyse("echo a\\\\").effects.some((effect) => effect.kind === "opaque")).toBe(false);
  });
});
