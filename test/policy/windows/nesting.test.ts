import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyseWindows } from "../../../src/policy/windows/analyse-windows.ts";
import type { WindowsShell } from "../../../src/policy/windows/windows-state.ts";
import { fakeFacts, judge, path, rule, shell as intent } from "../world.ts";

/** A text for one of the shells. `plain`: it holds nothing that quotes inside other quotes would change. */
interface Piece {
  readonly shell: WindowsShell;
  readonly text: string;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function base64(text: string): string {
  return Buffer.from(text, "utf16le").toString("base64");
}

/** Turns single letters of a word to the other case, by the bits of a number. */
function mixed(text: string, bits: number): string {
  return text
    .split("")
    .map((letter, at) => ((bits >> (at % 16)) & 1 ? letter.toUpperCase() : letter.toLowerCase()))
    .join("");
}

const commands: readonly Piece[] = [
  ...["Remove-Item -Recurse -Force C:\\", "ri ~ -r", "rd -r C:/", "del C:\\* -rec", "sudo id", "rm -r -fo $HOME"].map(
    (text): Piece => ({ shell: "powershell", text }),
  ),
  ...["rd /s /q C:\\", "rmdir/s %USERPROFILE%", "del /f /s /q C:\\*", "sudo id", "erase /s C:\\"].map(
    (text): Piece => ({ shell: "cmd", text }),
  ),
];

/** The first word in another spelling. */
const spellings: Readonly<Record<WindowsShell, readonly ((word: string) => string)[]>> = {
  powershell: [
    (word) => word,
    (word) => `& ${word}`,
    (word) => `& '${word}'`,
    (word) => `&"${word}"`,
    (word) => `& ('${word.slice(0, 1)}'+'${word.slice(1)}')`,
    (word) => `& ('{1}{0}' -f '${word.slice(1)}','${word.slice(0, 1)}')`,
    (word) => `& (-join('${word.slice(0, 1)}','${word.slice(1)}'))`,
    (word) => `$w='${word}'; & $w`,
    (word) => `Set-Alias zz ${word}; zz`,
    (word) => `${word.slice(0, 1)}\`${word.slice(1)}`.replace(/`([0abefnrtuv])/, "$1"),
  ],
  cmd: [
    (word) => word,
    (word) => `@${word}`,
    (word) => `${word.slice(0, 1)}^${word.slice(1)}`,
    (word) => `call ${word}`,
    (word) => `start "" ${word}`,
    (word) => `>nul ${word}`,
  ],
};

/** Places in a larger text: none of them may hide what stands there. */
const places: readonly ((piece: Piece) => Piece | undefined)[] = [
  ...[
    (text: string) => `{ ${text} }.Invoke()`,
    (text: string) => `& { ${text} }`,
    (text: string) => `. { ${text} }`,
    (text: string) => `if (1) { ${text} }`,
    (text: string) => `if(0){}else{${text}}`,
    (text: string) => `foreach ($q in 1,2) { ${text} }`,
    (text: string) => `for(;$x;){ ${text} }`,
    (text: string) => `try { ${text} } catch {}`,
    (text: string) => `switch (1) { 1 { ${text} } }`,
    (text: string) => `function qq { ${text} }; qq`,
    (text: string) => `1..3 | % { ${text} }`,
    (text: string) => `icm { ${text} }`,
    (text: string) => `Start-Job { ${text} }`,
    (text: string) => `$r = $(${text})`,
    (text: string) => `@(${text})`,
    (text: string) => `[void](${text})`,
    (text: string) => `"a $(${text}) b"`,
    (text: string) => `ls; ${text}`,
    (text: string) => `ls && ${text}`,
    (text: string) => `ls\n${text}\nls`,
    (text: string) => `${text} | Out-Null`,
    (text: string) => `<# x #> ${text} # y`,
    (text: string) => `iex ${quoted(text)}`,
    (text: string) => `${quoted(text)} | iex`,
    (text: string) => `iex @'\n${text}\n'@`,
    (text: string) => `$t = ${quoted(text)}; Invoke-Expression -Command $t`,
    (text: string) => `& ([scriptblock]::Create(${quoted(text)}))`,
    (text: string) => `powershell -NoProfile -enc ${base64(text)}`,
    (text: string) => `pwsh -e ${base64(text)}`,
    (text: string) => `powershell -Command ${quoted(text)}`,
    (text: string) => `Start-Process powershell -ArgumentList '-enc','${base64(text)}'`,
  ].map(
    (wrap) =>
      ({ shell, text }: Piece): Piece | undefined =>
        shell === "powershell" ? { shell, text: wrap(text) } : undefined,
  ),
  ...[
    (text: string) => `(${text})`,
    (text: string) => `( ${text}\n)`,
    (text: string) => `dir & ${text}`,
    (text: string) => `dir && ${text}`,
    (text: string) => `dir || ${text}`,
    (text: string) => `echo y| ${text}`,
    (text: string) => `dir\n${text}\ndir`,
    (text: string) => `if exist x ${text}`,
    (text: string) => `if exist x (dir) else (${text})`,
    (text: string) => `if "a"=="b" (\n${text}\n)`,
    (text: string) => `for %q in (1 2) do ${text}`,
    (text: string) => `for /l %q in (1,1,3) do (${text})`,
  ].map(
    (wrap) =>
      ({ shell, text }: Piece): Piece | undefined =>
        shell === "cmd" ? { shell, text: wrap(text) } : undefined,
  ),
  // Without quotes the outer shell reads what stands behind `&` and brackets itself.
  ...["cmd /c", "%COMSPEC% /q/c", "call cmd.exe /k", 'start "" /b cmd /c'].map(
    (wrapper) =>
      ({ shell, text }: Piece): Piece | undefined =>
        shell === "cmd" && !/[&|()<>^\n]/.test(text) ? { shell, text: `${wrapper} ${text}` } : undefined,
  ),
  ({ shell, text }) =>
    shell === "cmd" && !text.includes("\n") ? { shell, text: `cmd.exe /d /s /c "${text}"` } : undefined,
  // From one shell to the other.
  ({ shell, text }) =>
    shell === "powershell" ? { shell: "cmd", text: `powershell -nop -enc ${base64(text)}` } : undefined,
  ({ shell, text }) =>
    shell === "cmd" && !text.includes("\n") ? { shell: "powershell", text: `cmd /c ${quoted(text)}` } : undefined,
];

const nested = fc
  .tuple(fc.constantFrom(...commands), fc.nat(100), fc.nat(65_535), fc.array(fc.nat(1000), { maxLength: 4 }))
  .map(([start, spelling, bits, steps]): Piece => {
    const [word = "", ...rest] = start.text.split(/(?=[ /])/);
    const spell = spellings[start.shell][spelling % spellings[start.shell].length] ?? String;
    let piece: Piece = { shell: start.shell, text: spell(mixed(word, bits)) + rest.join("") };
    for (const step of steps) piece = places[step % places.length]?.(piece) ?? piece;
    return piece;
  });

describe("nesting in PowerShell and cmd", () => {
  test("never lets a blocked command be less than denied", () => {
    const everything = [rule({ capability: "all", effect: "allow", match: ["*", "/**"] })];
    fc.assert(
      fc.property(nested, ({ shell, text }) => {
        const { decision, settlement } = judge(intent(text, { command: { kind: "shell", shell, text } }), {
          rules: everything,
          subject: { mode: "allow-all" },
        });
        const blocked = decision.findings.some(({ rules }) => rules.some(({ id }) => id.startsWith("blocklist.")));
        expect([settlement.kind, blocked], `${shell}: ${text}`).toEqual(["deny", true]);
      }),
      { numRuns: 3000 },
    );
  });

  test("never loses a blocked command to text before or after it", () => {
    const noise = fc.string({
      unit: fc.constantFrom(..."aA1 ;&|\n()[]{}<>@#%$`^~!,=+-*?/\\.:'\"".split("")),
      maxLength: 12,
    });
    const world = { home: "C:\\Users\\u", cwd: path("/work"), facts: fakeFacts() };
    fc.assert(
      fc.property(noise, fc.constantFrom(...commands), (after, { shell, text }) => {
        // What follows stands on lines of its own: by then the first line has run.
        const whole = `${text}\n${after}`;
        expect(analyseWindows(whole, shell, world).blocked.length, whole).toBeGreaterThan(0);
      }),
      { numRuns: 3000 },
    );
  });

  test("says something of random text, and never throws", () => {
    const world = { home: "C:\\Users\\u", cwd: path("/work"), facts: fakeFacts() };
    const words = fc.constantFrom(
      ..."ri gci iex & . { } ( ) @( @{ $( $x $_ ' \" ` ^ % %i %x% for in do if exist else /s /f /r ( ) | && || ; , = \n -r -Path: : :: C:\\ ~ * ? [ ] #> <# # @' '@ rem :x call start cmd /c \"\" powershell -c -enc foreach function param".split(
        " ",
      ),
    );
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.array(words, { maxLength: 24 }).map((parts) => parts.join(" ")),
      fc.array(words, { maxLength: 24 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, fc.constantFrom("powershell", "cmd"), (source, shell) => {
        expect(analyseWindows(source, shell, world).effects.length, source).toBeGreaterThan(0);
      }),
      { numRuns: 6000 },
    );
  });
});
