import { knownVariable } from "../paths/known-variable.ts";
import type { WindowsState } from "../windows-state.ts";

/** Marks around a part that is only known when it runs, such as a variable's name. Private-use characters, taken out of what comes in. */
const opens = "\ue000";
const closes = "\ue001";
const mark = /\ue000([^\ue001]*)\ue001/g;

/** Takes out of a text what would look like a mark of ours. */
export function withoutMarks(text: string): string {
  return text.replace(/[\ue000\ue001]/g, "\ufffd");
}

/** True where a part of the text is only known when it runs. */
export function isUnknown(text: string): boolean {
  return text.includes(opens);
}

/** The text with its unknown parts as they were written. */
export function shownText(text: string): string {
  return isUnknown(text) ? text.replace(mark, "%$1%") : text;
}

/** The text without its unknown parts. */
export function knownParts(text: string): string {
  return isUnknown(text) ? text.replace(mark, "") : text;
}

/** True where a word is the batch file itself: `%0`, `%~f0`. */
export function isItself(text: string): boolean {
  return /^"?\ue000~?[a-z]*0\ue001"?$/i.test(text);
}

/** Longest value, and longest line, that are followed: cmd itself takes 8191 characters. */
const maxValue = 8192;
const maxLine = 65_536;

/** Puts in what variables mean now (cmd /?, set /?). `%i` of loops stays; what is not known is marked. */
export function expandPercents(text: string, state: WindowsState): string {
  let length = text.length;
  return text.replace(
    /%%|%([^%\s&|<>:"]+)(?::(~[^%]*|[^%=]*=[^%]*))?%|%(\d|\*|~[a-z$:]*\d)|!([^!\s&|<>:"]+)(?::[^!]*)?!/gi,
    (
      found,
      name: string | undefined,
      change: string | undefined,
      argument: string | undefined,
      late: string | undefined,
    ) => {
      if (found === "%%") return "%";
      if (argument !== undefined) return `${opens}${argument}${closes}`;
      if (late !== undefined) return `${opens}!${late}!${closes}`;
      const value = name === undefined ? undefined : changed(variable(name, state), change);
      length += value?.length ?? 0;
      return length > maxLine || value === undefined ? `${opens}${found.slice(1, -1)}${closes}` : value;
    },
  );
}

/** What `call` does: variables that were not known when the line was read are looked up again. */
export function expandAgain(text: string, state: WindowsState): string {
  let length = text.length;
  return text.replace(mark, (found, inner: string) => {
    const [, name = "", change] = /^([^:]*)(?::(.*))?$/s.exec(inner) ?? [];
    // By then the carets in a name are gone: `call echo %^x%`.
    const value = changed(variable(name.replaceAll("^", ""), state), change);
    length += value?.length ?? 0;
    return length > maxLine ? found : (value ?? found);
  });
}

/**
 * Puts a loop's item in for `%i`, `%~fi`, and for the beginning of `%i%`, which was taken for a variable. Where a loop inside has a variable of the same name, two
 * readings: behind its head the name is its own, or that of the loop outside.
 */
export function expandLoop(text: string, letter: string, value: string): readonly string[] {
  const escaped = letter.replace(/[^\w]/g, "\\$&");
  const name = new RegExp(`%(?:~[a-z]*)?${escaped}(?!\\w)(?!\\s+in\\s*\\()|${opens}${escaped}${closes}`, "g");
  const uses = text.match(name)?.length ?? 0;
  const known = uses * value.length > maxLine ? `${opens}${letter}${closes}` : value;
  const put = (part: string): string => part.replace(name, (found) => (found.startsWith("%") ? known : `${known}%`));
  const inner = new RegExp(`%${escaped}\\s+in\\s*\\([^)]*\\)`).exec(text);
  if (inner === null) return [put(text)];
  const cut = inner.index + inner[0].length;
  return [put(text), put(text.slice(0, cut)) + text.slice(cut)];
}

function variable(name: string, state: WindowsState): string | undefined {
  const key = name.toLowerCase();
  if (state.environment.has(key)) {
    const value = state.environment.get(key);
    return value !== undefined && value.length <= maxValue ? value : undefined;
  }
  if (key === "cd" && state.cwd !== undefined) return `${state.cwd.drive}\\${state.cwd.parts.join("\\")}`;
  return knownVariable(key, state.homeText);
}

/** `:~2,3` takes a part, `:a=b` replaces (set /?). */
function changed(value: string | undefined, change: string | undefined): string | undefined {
  if (value === undefined || change === undefined || change === "") return value;
  const part = /^~(-?\d+)?(?:,(-?\d+))?$/.exec(change);
  if (part !== null) {
    const from = Number(part[1] ?? 0);
    const start = from < 0 ? Math.max(value.length + from, 0) : from;
    if (part[2] === undefined) return value.slice(start);
    const count = Number(part[2]);
    return count < 0 ? value.slice(start, count) : value.slice(start, start + count);
  }
  const replace = /^(\*?)([^=]+)=(.*)$/s.exec(change);
  if (replace === null) return undefined;
  const [, star = "", from = "", to = ""] = replace;
  const at = value.toLowerCase().indexOf(from.toLowerCase());
  if (at < 0) return value;
  if (star !== "") return to + value.slice(at + from.length);
  if (to.length > 64) return undefined;
  return value.replace(new RegExp(from.replace(/[^\w\s]/g, "\\$&"), "gi"), () => to);
}
