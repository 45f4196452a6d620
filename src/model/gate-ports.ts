import type { ActionOf } from "./action.ts";
import type { By, Decision, Denial, Finding, Settlement } from "./decision.ts";
import type { AbsolutePath } from "./absolute-path.ts";
import type { EntryId } from "./ids.ts";
import type { Intent } from "./intent.ts";
import type { Outcome } from "./outcome.ts";
import type { RuleDraft } from "./rule.ts";
import type { SessionFolders } from "./session.ts";
import type { Subject } from "./subject.ts";
import type { Verdict } from "./verdict.ts";

/** What the policy room makes of one intent: the decision, how mode and tier settle it, and the resolved action. */
export interface Judgement<I extends Intent = Intent> {
  readonly decision: Decision;
  readonly settlement: Settlement;
  readonly action: ActionOf<I>;
  /** Folders that the session has for one request and that this one uses: gone with it. */
  readonly spends: readonly AbsolutePath[];
}

/** Judges without acting. */
export interface Judge {
  /** @throws Problem `invalid_argument` or `not_found`; any other throw counts as deny. */
  judge<I extends Intent>(subject: Subject, intent: I): Judgement<I>;
}

/** Judges what lies below a place that was admitted, for an actor that goes through a folder and asks nobody. */
export interface EntryJudge {
  /**
   * What the subject may do with the entries below `root`, by their real paths, as rules and scopes are now: `allow`; `ask` where a question of its own would be needed;
   * `deny`. What made the request for `root` itself a question was answered with it and is none any more; for paths that do not
   * lie below it, it still is one.
   * @throws Problem `not_found` where the session is closed, `permission_denied` where `root` would be refused by now
   */
  below(subject: Subject, kind: "read" | "write", root: AbsolutePath): EntryVerdict;
  /** What rules and scopes say of one path by now, whatever was answered. @throws Problem `not_found` where the session is closed */
  of(subject: Subject, kind: "read" | "write", path: AbsolutePath): Verdict;
}

/** {@link EntryJudge.of} for the subject of a request. */
export type VerdictOf = (kind: "read" | "write", path: AbsolutePath) => Verdict;

/** What may be done with one entry. */
export type EntryVerdict = (path: AbsolutePath) => Verdict;

/** {@link EntryJudge.below} for the subject of a request. */
export type Below = (kind: "read" | "write", root: AbsolutePath) => EntryVerdict;

/** What a person is asked. Everything in it is plain text from hostile hands: surfaces escape it. */
export interface Question {
  readonly subject: Subject;
  readonly intent: Intent;
  /** One line that says exactly what will happen. */
  readonly title: string;
  /** The findings that need the answer. */
  readonly open: readonly Finding[];
  readonly decision: Decision;
  /** The rules that "always allow" and "always deny" would write, word for word; empty where no rule can be proposed. */
  readonly drafts: readonly RuleDraft[];
  /** What the files are that it hands to programs, as a text: where it differs, two questions are two. Not for people. */
  readonly operands: string;
  /** What would change, for those who may answer; empty where nobody looked. */
  readonly preview?: readonly DetailPart[];
  /** Undefined: it can be answered only as it is. */
  readonly editable?: Editable;
}

/** A command that a person may change. */
export interface Editable {
  /** The command as a text. */
  readonly text: string;
  /** Judges another text in its place, and changes nothing. @throws Problem `failed_precondition` with a denial where even an answer cannot let it run, `invalid_argument`. */
  attempt(text: string): Attempt;
}

/** What another text would do, like a question about it; `open` is empty where it needs no answer. */
export type Attempt = Pick<Question, "subject" | "intent" | "title" | "open" | "decision" | "operands">;

/** A part of what a person is shown of a request. */
export interface DetailPart {
  readonly label: string;
  /** May have several lines. */
  readonly text: string;
}

/** What a request would change. It may show what the caller may not read, so it is for those who may answer only. */
export interface Preview {
  readonly parts: readonly DetailPart[];
  /** Where it differs, two questions are two. Not for people. */
  readonly key: string;
}

/** Looks what a judged request would change; asked only where a person is. @throws Problem where the request can only fail: then nobody is asked. */
export type MakePreview<I extends Intent = Intent> = (judged: Judgement<I>, signal: AbortSignal) => Promise<Preview>;

/** What a person may say to a question: once, by rules that are kept, by rules of the session (until it ends, or for a time), or with another text. */
export type AnswerKind =
  | "allow"
  | "always-allow"
  | "deny"
  | "always-deny"
  | "allow-session"
  | "allow-for"
  | "edit-and-allow";

/** Where rules of an "always" are kept. */
export type RulesFile = "user" | "workspace";

/** An answer as a person gives it. */
export interface Reply {
  readonly kind: AnswerKind;
  /** Told to the caller on a denial. */
  readonly message?: string;
  /** What runs in its place, with `edit-and-allow`, in the form of `OpenQuestion.editable`. */
  readonly edited?: string;
  /** With `edit-and-allow`: what a person was shown that it would do. Undefined: whatever it does now. */
  readonly plan?: string;
  /** Requests that waited when a person was shown what he answers; more would go with it unseen. Undefined: however many there are. */
  readonly waiting?: number;
  /** How long the rules hold, with `allow-for`; 900 where not given. */
  readonly forSeconds?: number;
  /** With the "always" kinds; `user` where not given. */
  readonly file?: RulesFile;
}

/** A person's answer, or what stands for one. */
export interface Answer {
  readonly kind: AnswerKind;
  readonly by: By;
  /** What the person wants the caller to know, on a denial. */
  readonly message?: string;
  /** What runs in place of what was asked for, with `edit-and-allow`. */
  readonly edited?: string;
  /** The `operands` of what was edited, as it was judged when the answer was given; it runs only while they are the same. */
  readonly editedOperands?: string;
  /**
   * Set where it was given while nobody waited: uses it up in one step with `record`. Neither is done where the other fails, and both are on disk when it returns.
   * @throws Problem `aborted` where another request was faster; what `record` throws.
   */
  readonly useUp?: <T>(record: () => T) => T;
}

/** Puts a question to people and waits. */
export interface Asker {
  /** Resolves with the answer; silence until the deadline is a `deny` by rule. Rejects where the signal aborts: the question is withdrawn. */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}

/** What is recorded of a request when it is decided. */
export interface Entry {
  readonly subject: Subject;
  readonly intent: Intent;
  /** What was asked for, where a person let something else run in its place. */
  readonly asked?: Intent;
  readonly decision: Decision;
  readonly by: By;
  readonly verdict: "allow" | "deny";
  readonly denial?: Denial;
  /** The session's folders then. Undefined: it was gone already. */
  readonly folders?: SessionFolders;
}

/** What a file or folder is now on which a person's answer rests. */
export interface FileState {
  /** `file`: its content or its entry counts. `folder`: which folder it is, not what lies in it. */
  readonly kind: "file" | "folder";
  readonly path: AbsolutePath;
  /** Equal where it is the same. */
  readonly state: string;
}

/** Writes the record. Synchronous: when it returns, the entry is in the store. */
export interface Recorder {
  /** Opens the entry of a request that may act. @throws where it cannot be written: nothing may act then. */
  open(entry: Entry): EntryId;
  /** Records a refusal; a refusal stands also where it cannot be recorded, so the caller still gets it. */
  refuse(entry: Entry): EntryId;
  /** Closes an open entry, once. */
  close(id: EntryId, outcome: Outcome): void;
}
