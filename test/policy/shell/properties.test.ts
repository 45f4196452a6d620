import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { analyse } from "./analyse.ts";

const blocked = fc.constantFrom(
  "sudo id",
  "rm -rf /",
  "rm -r ~",
  "doas id",
  "find / -delete",
  "dd of=/dev/sda",
  "mkfs.ext4 x",
  "rm -fr /etc/../usr",
);

/** Ways to spell one word. */
function spelled(word: string): fc.Arbitrary<string> {
  const plain = word.includes("~") ? fc.constant(word) : undefined;
  const parts = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: word.length, maxLength: word.length });
  return (
    plain ??
    parts.map((kinds) =>
      word
        .split("")
        .map((letter, at) => {
          switch (kinds[at]) {
            case 0:
              return `'${letter}'`;
            case 1:
              return `"${letter}"`;
            case 2:
              return `\\${letter}`;
            case 3:
              return `$'\\x${letter.charCodeAt(0).toString(16)}'`;
            case 4:
              return `""${letter}`;
            default:
              return letter;
          }
        })
        .join(""),
    )
  );
}

const spelledCommand = blocked.chain((text) =>
  fc.tuple(...text.split(" ").map(spelled)).map((words) => words.join(" ")),
);

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Ways to run a command through another one. */
const wrapping: fc.Arbitrary<(text: string) => string> = fc.constantFrom<((text: string) => string)[]>(
  (text) => `env A=1 ${text}`,
  (text) => `nice -n 5 ${text}`,
  (text) => `timeout -s KILL 5 ${text}`,
  (text) => `command ${text}`,
  (text) => `exec ${text}`,
  (text) => `busybox ${text}`,
  (text) => `/usr/bin/env ${text}`,
  (text) => `sh -c ${quote(text)}`,
  (text) => `bash -ec ${quote(text)} x y`,
  (text) => `eval ${quote(text)}`,
  (text) => `find . -exec ${text} ';'`,
  (text) => `xargs ${text}`,
);

const nesting: fc.Arbitrary<(text: string) => string> = fc.constantFrom<((text: string) => string)[]>(
  (text) => `ls; ${text}`,
  (text) => `ls && ${text} | cat`,
  (text) => `ls & ${text} &`,
  (text) => `( ${text} )`,
  (text) => `{ ${text}; } 2>&1`,
  (text) => `if ${text}; then ls; fi`,
  (text) => `while x; do ${text}; done`,
  (text) => `for i in 1 2; do ${text}; done`,
  (text) => `case x in x) ${text};; esac`,
  (text) => `f() { ${text}; }; f`,
  (text) => `echo "a $( ${text} )"`,
  (text) => `x=$( ${text} )`,
  (text) => `cat <( ${text} )`,
  (text) => `echo \${x:-$( ${text} )}`,
  (text) => `cat <<E\n$( ${text} )\nE\n`,
  (text) => `# note\n${text} # note`,
  (text) => `echo ${quote(text)} | bash`,
  (text) => `bash <<< ${quote(text)}`,
  (text) => `trap ${quote(text)} EXIT`,
  (text) => `\t${text}\nls`,
);

it("finds a blocked command in every spelling, wrapper and place", () => {
  const prefix = fc.constantFrom("", "A=1 ", ">x ", "2>&1 <y B=2 ");
  const wraps = fc.array(wrapping, { maxLength: 3 });
  const nests = fc.array(nesting, { maxLength: 4 });
  const text = fc.tuple(prefix, spelledCommand, wraps, nests).map(([start, command, around, places]) => {
    const wrapped = start + around.reduce((sum, wrap) => wrap(sum), command);
    return places.reduce((sum, nest) => nest(sum), wrapped);
  });
  fc.assert(
    fc.property(text, (script) => {
      const { blocked: found, effects } = analyse(script);
      expect(found.length > 0 || effects.some((effect) => effect.kind === "opaque" && effect.cause !== "program")).toBe(
        true,
      );
    }),
    { numRuns: 800 },
  );
});

it("asks about an unknown word in every place", () => {
  const unknown = fc.constantFrom("$X", "$(x) -rf .", 'rm -rf "$X"', 'sh -c "$X"', "cat x | sh", "r$X x");
  fc.assert(
    fc.property(unknown, fc.array(nesting, { maxLength: 4 }), (command, nests) => {
      const { effects, blocked: found } = analyse(nests.reduce<string>((sum, nest) => nest(sum), command));
      expect(found.length > 0 || effects.some((effect) => effect.kind === "opaque")).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it("never throws, whatever the text", () => {
  const token = fc.constantFrom(
    "$(",
    ")",
    "`",
    "'",
    '"',
    "${",
    "}",
    "((",
    "))",
    "[[",
    "]]",
    "<<E\n",
    "\nE\n",
    ";",
    "&",
    "|",
    "{",
    ",",
    "\\",
    "\n",
    "#",
    "x=",
    "if ",
    "then ",
    "fi",
    "for i in ",
    "do ",
    "done",
    "case x in ",
    "esac",
    "sudo ",
    "rm -rf /",
    "eval ",
    "sh -c ",
    "<(",
    "$'",
    "~",
    "*",
    "[",
    "]",
    "@(",
    "$((",
    ">",
    "<<<",
    "\0",
    "\r",
    "\u202e",
    "\ud800",
    "é",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 200 }),
        fc.array(token, { maxLength: 60 }).map((parts) => parts.join("")),
      ),
      (text) => {
        const { effects, blocked: found } = analyse(text);
        expect(Array.isArray(effects) && Array.isArray(found)).toBe(true);
      },
    ),
    { numRuns: 1500 },
  );
});

it("adding text behind a blocked command never hides it", () => {
  const rest = fc.array(
    fc.constantFrom("'", '"', "$(", "`", ")", "}", "<<E", "fi", "; ls", "|", "&", "\\", "${x", "#", "((", "\n"),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(rest, (parts) => {
      expect(analyse(`sudo id\n${parts.join("")}`).blocked.length).toBeGreaterThan(0);
    }),
    { numRuns: 400 },
  );
});

it("decodes words as bash does", () => {
  const piece = fc.constantFrom(
    "a",
    "-",
    ".",
    "/",
    "'b c'",
    '"d e"',
    "\\ ",
    "\\'",
    "''",
    '""',
    "$'\\x41'",
    "$'\\t\\n'",
    "$'\\101'",
    "{x,y}",
    "{1..3}",
    "{a,{b,c}}",
    "{",
    "}",
    "{z}",
    ",",
    "{3..1}",
    "{01..03}",
    "{a..c}",
    '"\\$"',
    "'\\'",
    "\\{",
    "{p,'q r'}",
    "é",
    "=",
    ":",
    "$'\\''",
  );
  const word = fc.array(piece, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(""));
  const words = fc.sample(word, { numRuns: 400, seed: 20261130 });
  const script = words.map((text) => `printf '%s\\0' ${text}; printf '\\1'`).join("\n");
  const output = execFileSync("bash", ["--noprofile", "--norc", "-c", script], {
    encoding: "utf8",
    cwd: "/",
    env: { LC_ALL: "C.UTF-8" },
  });
  const real = output.split("\x01").slice(0, -1);
  words.forEach((text, index) => {
    const [run] = analyse(`x ${text}`).effects;
    const decoded =
      run?.kind === "run"
        ? run.argv
            .slice(1)
            .map((value) => `${value}\0`)
            .join("")
        : "";
    expect([text, decoded]).toEqual([text, real[index]]);
  });
});
