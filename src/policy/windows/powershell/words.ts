import { knownVariable } from "../paths/known-variable.ts";
import { windowsText } from "../paths/windows-path.ts";
import type { Argument } from "./bind-parameters.ts";
import { partsValue, type Meaning } from "./evaluate.ts";
import type { PowerShellPart, PowerShellWord } from "./powershell-script.ts";
import type { Walk } from "./session.ts";
import { gathered, type Known, nothing, text, type Value } from "./value.ts";

/** What expressions and words refer to now. */
export function meaningOf(walk: Walk): Meaning {
  const known = (name: string): Value =>
    variable(name, walk) ?? (walk.unset === true && !walk.session.variables.has(name) ? text("") : undefined);
  return {
    page: walk.page,
    variable: known,
    output: (from) => walk.outputs.get(from),
    spend: (units) => walk.state.work.spend(units),
  };
}

function variable(full: string, walk: Walk): Value {
  const { session, state } = walk;
  const name = full.replace(/^(global|script|local|private|using|variable):/, "");
  if (name.startsWith("env:")) {
    const key = name.slice(4);
    const known = state.environment.has(key) ? state.environment.get(key) : knownVariable(key, state.homeText);
    return known === undefined ? undefined : text(known);
  }
  if (name === "_" || name === "psitem" || name === "input") return (walk.item ?? walk.input)?.value;
  if (session.variables.has(name)) return session.variables.get(name);
  switch (name) {
    case "true":
      return text("True");
    case "false":
      return text("False");
    case "null":
      return nothing;
    case "home":
      return text(state.homeText);
    case "pwd":
      return state.cwd === undefined ? undefined : text(windowsText(state.cwd));
    case "pshome":
      return text("C:\\Windows\\System32\\WindowsPowerShell\\v1.0");
    default:
      return undefined;
  }
}

/** What a word stands for. */
export function wordValue(word: PowerShellWord, walk: Walk): Value {
  const meaning = meaningOf(walk);
  return gathered(word.values.map((parts) => partsValue(parts, meaning)));
}

const dashes = /^[-\u2013-\u2015]/;

/** A word as an argument of a cmdlet: a dash and a letter make it a parameter, unless it is quoted. `whole`: what it stands for, where that is known already. */
export function argumentOf(word: PowerShellWord, walk: Walk, whole?: Known): Argument {
  const [first, ...more] = word.values;
  const head = first?.[0];
  if (head?.kind === "splat")
    return { value: meaningOf(walk).variable(head.name), parameter: undefined, glued: false, splat: true };
  if (word.bare && head?.kind === "text" && dashes.test(head.text)) {
    const found = /^.([a-z_?][\w?-]*)(:?)/is.exec(head.text);
    if (found?.[1] !== undefined) {
      const glued = found[2] === ":";
      const left = head.text.slice(found[0].length);
      const rest: readonly PowerShellPart[] = [
        ...(left === "" ? [] : [{ kind: "text", text: left } as const]),
        ...(first?.slice(1) ?? []),
      ];
      const hasValue = glued && (rest.length > 0 || more.length > 0);
      const values = [rest, ...more].filter((parts) => parts.length > 0);
      return {
        parameter: found[1].toLowerCase(),
        glued: hasValue,
        splat: false,
        value: hasValue ? gathered(values.map((parts) => partsValue(parts, meaningOf(walk)))) : undefined,
      };
    }
  }
  return { value: whole ?? wordValue(word, walk), parameter: undefined, glued: false, splat: false };
}
