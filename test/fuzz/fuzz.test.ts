import { describe, expect, it } from "vitest";
import { bashGrammar } from "./bash-grammar.ts";
import { isHarmlessTrace, startedByBash } from "./bash-oracle.ts";
import { faultFinder } from "./find-fault.ts";
import { grammarFaults } from "./grammar.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { createRandom } from "./random.ts";
import { shrink } from "./shrink.ts";
import { cmdGrammar, powershellGrammar } from "./windows-grammar.ts";

// `make fuzz` does the same for as long as one likes, and also looks at what each decision costs.
const seed = Number(process.env["SALLYPORT_SEED"] ?? "20261130") || Date.now();

describe("made-up texts", () => {
  it.each([
    ["bash", 400],
    ["powershell", 120],
    ["cmd", 120],
  ] as const)("find no fault in decisions about %s", (shell, count) => {
    const random = createRandom(seed);
    const make = hostileTexts(shell);
    const find = faultFinder({ timed: false });
    for (let turn = 0; turn < count; turn += 1) {
      const { kind, text } = make(random);
      expect(find(text, shell).fault, `${kind}: ${JSON.stringify(text.slice(0, 2000))}`).toBeUndefined();
    }
  });

  it("come from grammars that are whole", () => {
    expect([bashGrammar, powershellGrammar, cmdGrammar].flatMap(grammarFaults)).toEqual([]);
  });

  it("are held against what a real bash starts", () => {
    expect(startedByBash("ls && x=$(zap a | cat) # no\n'pi'ng")).toEqual(
      expect.arrayContaining(["ls", "zap", "cat", "ping"]),
    );
    expect(startedByBash("echo '$(zap)' # zap")).not.toContain("zap");
    const harmful = (text: string) => startedByBash(text)?.filter((name) => !isHarmlessTrace(name));
    expect(harmful("pwd & y[]=; y[$x]='*.ts'; y[1 + 2]+=a; y=b")).toEqual([]);
    expect(harmful("y[$(zap)]=1; 'y[1]=a'; y[1]; z")).toEqual(["zap", "'y[1]=a'", "'y[1]'", "z"]);
  });

  it("are made short before they are shown", () => {
    expect(shrink("aaaaXbbbbbbYcc", (text) => /X.*Y/.test(text))).toBe("XY");
  });
});
