import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../fuzz/random.ts";
import { blockedBy, told } from "./analyse.ts";

const random = createRandom(20261130);

function some(letters: string, most: number): string {
  return Array.from({ length: random.int(most + 1) }, () =>
    random.pick(["a", "b", "/", ".", ...letters.split("")]),
  ).join("");
}

function operation(): string {
  const number = String(random.int(14) - 6);
  switch (random.int(5)) {
    case 0:
      return random.pick(["#", "##", "%", "%%"]) + some("*?", 4);
    case 1:
      return `${random.pick(["/", "//", "/#", "/%"])}${some("", 2).replaceAll("/", "b")}/${some("", 3)}`;
    case 2:
      return `: ${number}${random.chance(0.5) ? `:${random.int(6) - 2}` : ""}`;
    case 3:
      return random.pick(["^", "^^", ",", ",,"]);
    default:
      return "";
  }
}

/** What bash makes of each; undefined where it refuses the expansion. */
function byBash(cases: readonly { readonly value: string; readonly change: string }[]): (string | undefined)[] {
  const lines = cases.map(({ value, change }) => `(x='${value}'; printf '%s\\0' "=\${x${change}}") 2>&-; printf '\\1'`);
  const { stdout } = spawnSync("bash", ["--noprofile", "--norc", "-c", lines.join("\n")], { encoding: "utf8" });
  return stdout.split("\u0001").map((part) => (part.endsWith("\0") ? part.slice(1, -1) : undefined));
}

describe("a value that an expansion cuts or changes", () => {
  it("is what bash makes of it", () => {
    const cases = Array.from({ length: 400 }, () => ({ value: `a${some("AB", 7)}`, change: operation() }));
    const results = byBash(cases);
    let known = 0;
    for (const [at, { value, change }] of cases.entries()) {
      const text = `x='${value}'; zap "=\${x${change}}"`;
      const line = told(text).find((each) => each.startsWith("run zap"));
      if (line === undefined || line.includes("${x")) continue;
      known += 1;
      expect(line, text).toBe(`run zap =${results[at] ?? "?"}`);
    }
    expect(known).toBeGreaterThan(250);
  });

  it.each([
    ['rm -rf "${HOME%/}"', "blocklist.recursive-delete"],
    ['x=/home/u/; rm -rf "${x%/}"', "blocklist.recursive-delete"],
    ["rm -rf ${PWD%work}", "blocklist.recursive-delete"],
    ["rm -rf ${HOME:0:1}", "blocklist.recursive-delete"],
    ["x=s_udo; ${x/_/} id", "blocklist.sudo"],
    ["x=SUDO; ${x,,} id", "blocklist.sudo"],
    ["f() { ${1#x} id; }; f xsudo", "blocklist.sudo"],
  ])("is held against the blocklist: %s", (text, id) => {
    expect(blockedBy(text)).toContain(id);
  });
});
