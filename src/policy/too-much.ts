import type { Effect } from "../model/effect.ts";
import type { Blocked } from "./decide.ts";
import { hardcodedRule } from "./hardcoded-rule.ts";

/** Effects of one command that are judged. More is no request that a person can look through. */
export const mostEffects = 1024;

/**
 * The denial of a command of which a part was not looked at, or whose parts are too many to be judged: nobody could tell what an answer to it would let pass. Undefined: it is none of them.
 */
export function tooMuch(text: string, effects: readonly Effect[], isSpent: boolean): Blocked | undefined {
  if (!isSpent && effects.length <= mostEffects) return undefined;
  const why = isSpent
    ? "the command has more parts than are looked at"
    : `the command has more than ${mostEffects} effects`;
  const because = `${why}: ask for it in smaller commands, or put it in a file and ask to run that`;
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return {
    rule: hardcodedRule("limit.parts", "shell", "deny", because),
    effect: { kind: "opaque", text: shown, why, cause: "unread" },
  };
}
