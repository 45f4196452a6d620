import { shown, textOf } from "../shell/programs/words.ts";
import type { Word } from "../shell/simple-command.ts";
import { matchesMost } from "./glob-component.ts";

/** What a find expression does to what it finds. `narrowed`: a test lets only some files through. */
export type FindAction =
  | { readonly kind: "delete"; readonly narrowed: boolean }
  | {
      readonly kind: "exec";
      readonly command: readonly Word[];
      readonly inFolder: boolean;
      readonly narrowed: boolean;
    };

/** The start folders of find, from the words behind its name; `.` where there are none. */
export function findStarts(words: readonly Word[]): readonly Word[] {
  const from = skipOptions(words);
  const starts: Word[] = [];
  for (const word of words.slice(from)) {
    if (/^(-.|\(|!|,)/.test(shown(word))) break;
    starts.push(word);
  }
  return starts.length === 0 ? [{ kind: "literal", value: "." }] : starts;
}

/** Tests that pass only a part of the files. A negated test passes nearly all, and so do a kind or a depth. */
const tests =
  /^-(i?name|i?path|i?wholename|i?lname|i?regex|newer\w*|[acm]time|[acm]min|size|empty|user|group|uid|gid|nouser|nogroup|perm|inum|links|samefile|fstype|used|readable|writable|executable|context)$/;

/** The actions of an expression that delete or start something (find(1)). */
export function readFind(words: readonly Word[]): FindAction[] {
  const actions: FindAction[] = [];
  let narrowed = false;
  let negated = false;
  for (let at = skipOptions(words); at < words.length; at += 1) {
    const text = textOf(words[at]) ?? "";
    if (text === "-o" || text === "-or" || text === ",") narrowed = false;
    else if (text === "!" || text === "-not") {
      negated = !negated;
      continue;
    } else if (tests.test(text)) {
      const value = takesValue(text) ? words[(at += 1)] : undefined;
      if (!negated && !passesAll(text, value)) narrowed = true;
    } else if (text === "-false" && !negated) narrowed = true;
    else if (text === "-delete") actions.push({ kind: "delete", narrowed });
    else if (/^-(exec|ok)(dir)?$/.test(text)) {
      const end = endOfCommand(words, at + 1);
      actions.push({ kind: "exec", command: words.slice(at + 1, end), inFolder: text.endsWith("dir"), narrowed });
      at = end;
    }
    negated = false;
  }
  return actions;
}

function takesValue(test: string): boolean {
  return !/^-(empty|nouser|nogroup|readable|writable|executable)$/.test(test);
}

/** `-name '*'`, `-size -999G` and the like let everything through; only patterns are looked at. */
function passesAll(test: string, value: Word | undefined): boolean {
  if (value === undefined) return false;
  const text = shown(value);
  if (/name$|path$/.test(test))
    return (
      matchesMost(text.slice(text.lastIndexOf("/") + 1)) &&
      !/[^*/?.[\]!a-zA-Z0-9-]/.test(text) &&
      /^[*/?.[\]]/.test(text)
    );
  return test.endsWith("regex") ? /^[.*/+^$()]*$/.test(text) : false;
}

function endOfCommand(words: readonly Word[], from: number): number {
  for (let at = from; at < words.length; at += 1) {
    const text = textOf(words[at]);
    if (text === ";" || (text === "+" && textOf(words[at - 1]) === "{}")) return at;
  }
  return words.length;
}

function skipOptions(words: readonly Word[]): number {
  let at = 0;
  for (; at < words.length; at += 1) {
    const text = textOf(words[at]) ?? "";
    if (text === "-D") at += 1;
    else if (!/^-([HLPEXdsx]+|O\d?|D\w+)$/.test(text) && text !== "--") break;
  }
  return at;
}
