import type { Work } from "../../work.ts";
import {
  blanks,
  doubleQuotes,
  lineEnds,
  match,
  peek,
  skipBlanks,
  spendOnBrace,
  type Reader,
} from "./powershell-reader.ts";
import type {
  Assignment,
  NestedScript,
  PowerShellCommand,
  PowerShellPage,
  PowerShellPipeline,
  PowerShellRedirect,
  PowerShellScript,
  PowerShellWord,
} from "./powershell-script.ts";
import { readWord } from "./read-word.ts";

/** Work for a nested script and for a command, beside its characters. */
const unitsOfScript = 6;
const unitsOfCommand = 4;

/** Brackets beyond this are taken for text: what is between them is still read, in one row with what is around. */
const maxDepth = 100;

/**
 * Tells commands and words of PowerShell text apart (about_Parsing, about_Quoting_Rules, about_Operators). It is no full grammar: keywords are
 * words, expressions are words with nested scripts. `work` counts them. Whether a `#` inside of a word starts a comment depends on what is an expression: `eager` takes it for one.
 * @throws TooMuchWork
 */
export function parsePowerShell(text: string, work: Pick<Work, "spend">, eager = false): PowerShellPage {
  const nested = new Map<number, NestedScript>();
  const reader: Reader = {
    text,
    at: 0,
    depth: 0,
    broken: false,
    tooDeep: false,
    noIndex: new Set(),
    spend: (units) => work.spend(units),
    eager,
    script(from, closer, inTable = false) {
      work.spend(unitsOfScript);
      if (reader.depth >= maxDepth) {
        reader.tooDeep = true;
        return undefined;
      }
      const start = from.at;
      reader.depth += 1;
      const script = readScript(reader, inTable);
      reader.depth -= 1;
      nested.set(start, { script, to: reader.at });
      if (peek(reader) === closer) reader.at += 1;
      else reader.broken = true;
      return start;
    },
  };
  const script: PowerShellPipeline[] = [];
  while (reader.at < text.length) {
    script.push(...readScript(reader, false));
    // A closing bracket without an opening one.
    if (reader.at < text.length) {
      reader.broken = true;
      reader.at += 1;
    }
  }
  return { text, script, nested, broken: reader.broken, tooDeep: reader.tooDeep };
}

/** A key of a table, up to its value. */
const tableKey = /(?:[\w-]+|'[^'\r\n]*'|"[^"`$\r\n]*")[ \t]*=(?!=)\s*/y;

function readScript(reader: Reader, inTable: boolean): PowerShellScript {
  const pipelines: PowerShellPipeline[] = [];
  let join: PowerShellPipeline["join"] = ";";
  while (reader.at < reader.text.length) {
    skipBlanks(reader, true);
    const next = peek(reader);
    if (next === "" || next === ")" || next === "}") break;
    const mark = match(reader, /&&|\|\||;|\|/y)?.[0];
    if (mark !== undefined) join = mark === "&&" || mark === "||" ? mark : ";";
    else {
      if (inTable) match(reader, tableKey);
      pipelines.push(readPipeline(reader, join));
      join = ";";
    }
  }
  return pipelines;
}

function readPipeline(reader: Reader, join: PowerShellPipeline["join"]): PowerShellPipeline {
  const commands: PowerShellCommand[] = [];
  for (;;) {
    commands.push(readCommand(reader));
    // A line may begin with the bar that joins it to the line before.
    const at = reader.at;
    skipBlanks(reader, true);
    if (!/^\|(?!\|)/.test(reader.text.slice(reader.at, reader.at + 2))) reader.at = at;
    if (reader.text.startsWith("||", reader.at) || reader.text.startsWith("&&", reader.at))
      return { commands, background: false, join };
    const next = peek(reader);
    if (next === "&") {
      reader.at += 1;
      return { commands, background: true, join };
    }
    if (next !== "|") return { commands, background: false, join };
    reader.at += 1;
    skipBlanks(reader, true);
  }
}

const assignment =
  /(?:\[[\w.,]+(?:\[[,]*\])?\][ \t]*)*\$(\{[^}]*\}|[\w:?]+)(?:\.(\w+)|\[\s*(?:(\w+)|'([^']*)'|"([^"$]*)")\s*\])?[ \t]*([-+*/%]|\?\?)?=(?!=)\s*/y;
const redirect = /(?:\d|\*)?(?:>>?|<)(&\d)?/y;

/** `$a, $b = 1, 2`: one value each. */
const several = /(\$\w+(?:\s*,\s*\$\w+)+)\s*=(?!=)\s*/y;

function readAssignments(reader: Reader): readonly Assignment[] {
  const names = match(reader, several)?.[1]?.split(",");
  if (names !== undefined)
    return names.map((name, item) => ({ name: name.trim().slice(1).toLowerCase(), key: undefined, adds: false, item }));
  const found: Assignment[] = [];
  for (;;) {
    const each = match(reader, assignment);
    if (each?.[1] === undefined) return found;
    const name = each[1].replace(/[{}]/g, "").toLowerCase();
    found.push({
      name: name.replace(/^(global|script|local|private|using|variable):/, ""),
      key: (each[2] ?? each[3] ?? each[4] ?? each[5])?.toLowerCase(),
      adds: each[6] !== undefined,
      item: undefined,
    });
    skipBlanks(reader, true);
  }
}

/** An assignment to something that is not followed. */
const elsewhere: Assignment = { name: "", key: undefined, adds: false, item: undefined };

function readCommand(reader: Reader): PowerShellCommand {
  reader.spend(unitsOfCommand);
  skipBlanks(reader, false);
  if (reader.text.startsWith("${", reader.at)) spendOnBrace(reader);
  const assigns = readAssignments(reader);
  let from = reader.at;
  const operator = /^&(?!&)|^\.(?=[\s'"({$\u2018-\u201e])/.exec(reader.text.slice(reader.at, reader.at + 2))?.[0] ?? "";
  reader.at += operator.length;
  const words: PowerShellWord[] = [];
  const targets: PowerShellWord[] = [];
  const redirects: PowerShellRedirect[] = [];
  let to: number | undefined;
  for (;;) {
    skipBlanks(reader, false);
    const next = peek(reader);
    if (next === "" || ";|&)}".includes(next) || lineEnds.includes(next)) break;
    if (/^--%(?=\s|$)/.test(reader.text.slice(reader.at, reader.at + 4))) {
      reader.at += 3;
      words.push(...verbatim(reader));
      continue;
    }
    if (/^[$[(]/.test(words[0]?.text ?? "") && match(reader, /(?:[-+*/%]|\?\?)?=(?!=)\s*/y) !== undefined) {
      // What stands on the left is no variable of its own: a member, a type's, an attribute with a variable.
      targets.push(...words.splice(0));
      skipBlanks(reader, true);
      from = reader.at;
      continue;
    }
    const at = reader.at;
    const mark = match(reader, redirect);
    if (mark !== undefined) to ??= at;
    if (mark === undefined) words.push(readWord(reader, words.length < 2));
    else if (mark[1] === undefined) {
      skipBlanks(reader, false);
      if (!atWordEnd(reader)) redirects.push({ reads: mark[0].includes("<"), target: readWord(reader, false) });
    }
  }
  return {
    words,
    targets,
    operator: operator === "&" || operator === "." ? operator : "",
    assigns: targets.length > 0 ? [...assigns, elsewhere] : assigns,
    redirects,
    from,
    to: to ?? reader.at,
  };
}

function atWordEnd(reader: Reader): boolean {
  const next = peek(reader);
  return next === "" || ";|&)}".includes(next) || lineEnds.includes(next) || blanks.includes(next);
}

/** Behind `--%` words go to a program as they stand (about_Parsing). */
function verbatim(reader: Reader): PowerShellWord[] {
  const line = match(reader, /(?:"[^"\r\n]*"?|[^"\r\n|])*/y)?.[0] ?? "";
  return (line.match(/"[^"]*"?|[^\s"]+/g) ?? []).map((text) => {
    const plain = doubleQuotes.includes(text.charAt(0)) ? text.replaceAll('"', "") : text;
    return { text, values: [[{ kind: "text", text: plain }]], bare: true, block: false, nested: [], calls: [] };
  });
}
