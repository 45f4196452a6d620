import { describe, expect, it } from "vitest";
import { mostEffects } from "../../src/policy/too-much.ts";
import { judge, rule, shell } from "./world.ts";

const allowEverything = rule({ capability: "all", effect: "allow", match: ["*", "/**"] });
const someDenial = rule({ capability: "fs_read", effect: "deny", match: ["secret/**"] });

function list(count: number, item: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => item(at)).join(";");
}

/** The verdict for a text in the loosest mode, and the rules that deny. */
function verdict(text: string, ...more: ReturnType<typeof rule>[]): readonly [string, readonly string[]] {
  const { decision, settlement } = judge(shell(text), {
    rules: [allowEverything, ...more],
    subject: { mode: "allow-all" },
  });
  const denying = decision.findings.filter((finding) => finding.verdict === "deny");
  return [settlement.kind, [...new Set(denying.flatMap(({ rules }) => rules.map(({ id }) => id)))]];
}

describe("more than is looked at", () => {
  it.each([
    ["different commands", list(5000, (at) => `a${at}`)],
    ["words from braces", `echo ${"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b} ".repeat(400)}`],
    ["calls of functions", `${list(14, (at) => `f${at}() { f${at + 1}; f${at + 1} x; }`)};f14() { ls; };f0`],
    ["substitutions in substitutions", "$(".repeat(15_000)],
    ["expansions in expansions", list(1400, (at) => `ls${at}; })\${x/\${`)],
    ["expansions in quotes in expansions", '"${x%'.repeat(3000)],
    ["expansions whose ends are quoted", "${x/'}'".repeat(2000)],
    ["sums in sums", "$[".repeat(8000)],
  ])("is denied in every mode: %s", (_name, text) => {
    const [settled, ids] = verdict(text);
    expect(settled).toBe("deny");
    expect(ids).toContain("limit.parts");
  });

  it("is denied where the effects are more than are judged", () => {
    const paths = (count: number): string => `cat ${Array.from({ length: count }, (_, at) => `f${at}`).join(" ")}`;
    expect(verdict(paths(mostEffects - 1))).toEqual(["allow", []]);
    expect(verdict(paths(mostEffects + 1))).toEqual(["deny", ["limit.parts"]]);
  });

  it("still says what the blocklist forbids in it", () => {
    for (const text of [
      `${list(5000, (at) => `a${at}`)};sudo id`,
      `${"env ".repeat(3000)}sudo id`,
      `${"${x/".repeat(3000)};sudo id`,
    ])
      expect(verdict(text)[1]).toEqual(expect.arrayContaining(["blocklist.sudo", "limit.parts"]));
  });

  it("reads brackets once that are never closed", () => {
    const nested = "& @'\n~\n'@ ($x = & $x.y[| ".repeat(80);
    for (const text of [nested, nested.repeat(15), "$x[".repeat(8000), "${".repeat(16_000), `${nested}\nsudo id`]) {
      const intent = shell(text, { command: { kind: "shell", shell: "powershell", text } });
      expect(judge(intent, { rules: [allowEverything] }).settlement.kind).not.toBe("allow");
    }
  });

  it.each([
    ["long words", `certutil ${"$x ".repeat(500)}`],
    ["methods", "$x.Replace('a','b')\n".repeat(1500)],
    ["operators", "$x -replace 'a','b'\n".repeat(1500)],
    ["paths", "rm -r $x\n".repeat(3000)],
    ["ranges", "foreach($i in 1..4000){}\n".repeat(1200)],
  ])("counts what PowerShell computes with long values: %s", (_name, body) => {
    const text = `$x='a,'*30000\n${body}`;
    const intent = shell(text, { command: { kind: "shell", shell: "powershell", text } });
    const { decision } = judge(intent, { rules: [allowEverything], subject: { mode: "allow-all" } });
    expect(decision.findings.flatMap(({ rules }) => rules.map(({ id }) => id))).toContain("limit.parts");
  });

  it("counts the shells of Windows, too", () => {
    for (const name of ["powershell", "cmd"] as const) {
      const text = list(3000, (at) => `git x${at}`).replaceAll(";", "\n");
      const { settlement } = judge(shell(text, { command: { kind: "shell", shell: name, text } }), {
        rules: [allowEverything],
        subject: { mode: "allow-all" },
      });
      expect(settlement.kind, name).toBe("deny");
    }
  });
});

describe("an ordinary script for the shells of Windows", () => {
  const long = (line: (at: number) => string): string => {
    const lines: string[] = [];
    for (let length = 0; length < 32_000; length += lines.at(-1)?.length ?? 0) lines.push(line(lines.length));
    return lines.join("\n").slice(0, 32_600);
  };

  it.each([
    [
      "powershell",
      "allow",
      long((at) => `Write-Host "Step ${at}: ${"a long line that says what is done, ".repeat(4)}"`),
    ],
    [
      "powershell",
      "ask",
      long((at) => `$config${at} = @{ Name = "thing${at}"; Path = "C:\\proj\\thing${at}"; Items = @('a', 'b') }`),
    ],
    [
      "powershell",
      "ask",
      long(
        (at) =>
          `function Do-Thing${at} {\n  param([string]$Name, [int]$Count = 3)\n  if ($Count -gt 2) {\n    Write-Output "Hello $Name, $($Count + 1) times"\n  } else {\n    foreach ($x in 1..$Count) { Write-Verbose "item $x of $Name" }\n  }\n}`,
      ),
    ],
    ["cmd", "allow", long((at) => `echo Step ${at}: ${"a long line that says what is done, ".repeat(4)}`)],
  ] as const)("is read to its end: %s, %s", (name, expected, text) => {
    const { settlement, decision } = judge(shell(text, { command: { kind: "shell", shell: name, text } }), {
      rules: [allowEverything],
      subject: { mode: "autopilot" },
    });
    const rules = decision.findings.flatMap((finding) => finding.rules.map(({ id }) => id));
    expect(rules).not.toContain("limit.parts");
    expect(settlement.kind).toBe(expected);
  });
});

describe("a part that was not looked at", () => {
  const turns = `for f in ${Array.from({ length: 200 }, (_, at) => `a${at}`).join(" ")}; do cat $f; done`;

  it("asks where no rule denies what commands do", () => {
    const { settlement } = judge(shell(turns), { rules: [allowEverything], subject: { mode: "autopilot" } });
    expect(settlement.kind).toBe("ask");
  });

  it("is denied where one does, with its name", () => {
    const [settled, ids] = verdict(turns, someDenial);
    expect(settled).toBe("deny");
    expect(ids).toEqual([someDenial.id]);
  });

  it("is not denied for what commands do not do", () => {
    const { settlement } = judge(shell(turns), {
      rules: [allowEverything, rule({ capability: "mcp", effect: "deny", match: ["*"] })],
      subject: { mode: "autopilot" },
    });
    expect(settlement.kind).toBe("ask");
  });
});

describe("what is long and has few parts", () => {
  it.each([
    ["a here-document", `cat > notes.md <<'E'\n${"a line with $(this) and `that`\n".repeat(900)}E\n`],
    [
      "source with templates",
      `cat > a.ts <<'E'\n${"log(`${name}: don't ${of('}')} $[`);\n".repeat(20)}${"const a = `${b}`;\n".repeat(1200)}E\n`,
    ],
    ["a script full of expansions", `x=1\n${list(100, (at) => `echo "\${x:-\${y:-"${at}"}}" "$[x + ${at}]"`)}`],
  ])("is allowed: %s", (_name, text) => {
    expect(verdict(text)).toEqual(["allow", []]);
  });
});
