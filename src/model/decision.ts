import type { AbsolutePath } from "./absolute-path.ts";
import type { Effect } from "./effect.ts";
import type { EntryId, QuestionId } from "./ids.ts";
import type { Rule } from "./rule.ts";
import type { Scope } from "./scope.ts";
import type { Verdict } from "./verdict.ts";

/** One effect with its verdict, and every rule or other ground of that strictest verdict. */
export interface Finding {
  readonly effect: Effect;
  readonly verdict: Verdict;
  /** The rules that gave this verdict. Empty: the default, a scope or a tier spoke. */
  readonly rules: readonly Rule[];
  readonly scope?: Scope;
  /** One sentence for a person: what decided and why. */
  readonly because: string;
  /** True where no mode, grant or person lifts this: blocklist, invariant that denies, tier ceiling, deny rule. For an ask: no mode settles it (an invariant or a managed rule asked). */
  readonly firm: boolean;
  /** What a sandbox must show for this beyond the session's folders. */
  readonly opens?: Opening;
}

/** A folder or file that is mounted for one command. */
export interface Opening {
  readonly root: AbsolutePath;
  readonly access: Scope["access"];
  /** True for a folder: everything in it is shown, whatever the effect names. */
  readonly whole: boolean;
}

/** The answer of the policy room: data, not an act. */
export interface Decision {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
}

/** Who or what settled a request. */
export type By =
  | { readonly kind: "rule" | "mode" | "tier" }
  | { readonly kind: "grant"; readonly id: string }
  /** `question`: the one that was answered, which the record of the answer is found by. */
  | { readonly kind: "person"; readonly name: string; readonly channel: string; readonly question?: QuestionId };

/** A decision after mode, attendance and tier: what is to be done now. */
export type Settlement =
  | { readonly kind: "allow"; readonly by: By }
  /** A person must answer; `open` are the findings that need the answer. */
  | { readonly kind: "ask"; readonly open: readonly Finding[] }
  | { readonly kind: "deny"; readonly by: By; readonly finding: Finding | undefined; readonly next: string };

/** The structured refusal that exec, file and fetch alike send back. */
export interface Denial {
  /** The effect in words, for example `run sudo -n true`. */
  readonly effect: string;
  readonly ruleId: string;
  readonly source: string;
  readonly because: string;
  /** What is missing, for example `allow shell "npm install*"`. */
  readonly missing: string;
  /** What the caller can do next. */
  readonly next: string;
  /** Key of the audit entry; undefined where it is refused without one, as in a check. */
  readonly entry?: EntryId;
}
