import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judge, rule, shell } from "./world.ts";

/** Text that is one simple command, and text that is anything a list may hold. */
interface Piece {
  readonly text: string;
  readonly simple: boolean;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const spellings: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => `'${word}'`,
  (word) => `"${word}"`,
  (word) => `${word.slice(0, 1)}\\${word.slice(1)}`,
  (word) => `${word.slice(0, 1)}''${word.slice(1)}`,
  (word) => `$'${word}'`,
  (word) => `$'\\x${word.codePointAt(0)?.toString(16) ?? ""}${word.slice(1)}'`,
];

/** Prefixes of a simple command that stay one. */
const wrappers: readonly ((text: string) => string)[] = [
  (text) => `env ${text}`,
  (text) => `env X=1 ${text}`,
  (text) => `nohup ${text}`,
  (text) => `timeout -k 1 5 ${text}`,
  (text) => `nice -n 5 ${text}`,
  (text) => `command ${text}`,
  (text) => `setsid -f ${text}`,
  (text) => `stdbuf -oL ${text}`,
  (text) => `xargs ${text}`,
  (text) => `find . -exec ${text} \\;`,
  (text) => `busybox ${text}`,
];

/** Places in a larger text. */
const places: readonly ((text: string) => string)[] = [
  (text) => `bash -c ${quoted(text)}`,
  (text) => `sh -ec ${quoted(text)}`,
  (text) => `eval ${quoted(text)}`,
  (text) => `( ${text}\n)`,
  (text) => `{ ${text}\n}`,
  (text) => `ls; ${text}`,
  (text) => `ls && ${text}`,
  (text) => `ls || ${text}`,
  (text) => `ls\n${text}`,
  (text) => `${text} &`,
  (text) => `${text} | cat`,
  (text) => `ls |& ${text}`,
  (text) => `{ ! ${text}\n}`,
  (text) => `if true; then ${text}\nfi`,
  (text) => `while ${text}\ndo :; done`,
  (text) => `for i in 1 2; do ${text}\ndone`,
  (text) => `case x in x) ${text}\n;; esac`,
  (text) => `echo $(${text}\n)`,
  (text) => `echo "$(${text}\n)"`,
  (text) => `cat <(${text}\n)`,
  (text) => `x=$(${text}\n)`,
  (text) => `{ f() { ${text}\n}; f; }`,
  (text) => `bash <<< ${quoted(text)}`,
  (text) => `echo ${quoted(text)} | sh`,
  (text) => `cat <<E\n$(${text}\n)\nE`,
  (text) => `trap ${quoted(text)} EXIT`,
];

function nest(
  piece: Piece,
  steps: readonly { readonly simple: number; readonly place: number; readonly wrap: boolean }[],
): string {
  let { text, simple } = piece;
  for (const step of steps) {
    if (simple && step.wrap) text = (wrappers[step.simple % wrappers.length] ?? String)(text);
    else {
      text = (places[step.place % places.length] ?? String)(text);
      simple = false;
    }
  }
  return text;
}

const steps = fc.array(fc.record({ simple: fc.nat(100), place: fc.nat(100), wrap: fc.boolean() }), { maxLength: 4 });
const allowEverything = [rule({ capability: "all", effect: "allow", match: ["*", "/**"] })];

describe("nesting", () => {
  it("never lets a blocked command be less than denied", () => {
    const blocked = fc
      .tuple(
        fc.constantFrom(
          "sudo id",
          "sudo -n true",
          "rm -rf /",
          "rm -r -f ~",
          "doas sh",
          "rm --recursive /home/u/",
          "su -c id",
        ),
        fc.constantFrom(...spellings),
      )
      .map(([text, spell]): Piece => {
        const [word = "", ...rest] = text.split(" ");
        return { text: [spell(word), ...rest].join(" "), simple: true };
      });
    fc.assert(
      fc.property(blocked, steps, (piece, nesting) => {
        const text = nest(piece, nesting);
        const { decision, settlement } = judge(shell(text), { rules: allowEverything, subject: { mode: "allow-all" } });
        expect(
          [
            settlement.kind,
            decision.findings.some((finding) => finding.rules.some((each) => each.id.startsWith("blocklist."))),
          ],
          text,
        ).toEqual(["deny", true]);
      }),
      { numRuns: 1500 },
    );
  });

  it("never lets an unknown part be less than asked", () => {
    const unknown = fc
      .constantFrom('eval "$X"', "$X y", "rm $X", 'bash "$X"', "rm $(cat list)", ". ./env.sh", "rm {a,$X}")
      .map((text): Piece => ({ text, simple: !text.startsWith("eval") && !text.startsWith(".") }));
    fc.assert(
      fc.property(unknown, steps, (piece, nesting) => {
        const text = nest(piece, nesting);
        expect(
          judge(shell(text), { rules: allowEverything, subject: { mode: "allow-all" } }).settlement.kind,
          text,
        ).not.toBe("allow");
      }),
      { numRuns: 1500 },
    );
  });

  it("never turns a denial into less by text put before or after it", () => {
    const denied = rule({ capability: "shell", effect: "deny", match: ["git push*"] });
    const around = fc.string({
      unit: fc.constantFrom("a", " ", ";", "&", "|", "\n", "'", '"', "$", "(", ")", "`", "#", "\\", "<", ">", "{", "}"),
      maxLength: 12,
    });
    fc.assert(
      fc.property(around, (after) => {
        // What follows may end the command early, but bash has read the first line by then.
        const text = `git push\n${after}`;
        expect(
          judge(shell(text), { rules: [denied, ...allowEverything], subject: { mode: "allow-all" } }).settlement.kind,
          text,
        ).toBe("deny");
      }),
      { numRuns: 1500 },
    );
  });

  it("never allows random bytes, and never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const { settlement } = judge(shell(text), { subject: { mode: "ask" } });
        // Plain words may be a read-only command by chance; nothing else passes.
        if (settlement.kind === "allow") expect(text).toMatch(/^[\w\s-]+$/);
      }),
      { numRuns: 3000 },
    );
  });
});
