import { AnswerKind as ProtoAnswer, RulesFile as ProtoRulesFile } from "../gen/sallyport/v1/approvals_pb.ts";
import {
  Access as ProtoAccess,
  Lasts as ProtoLasts,
  Mode as ProtoMode,
  RuleSource as ProtoSource,
  Tier as ProtoTier,
  Verdict as ProtoVerdict,
} from "../gen/sallyport/v1/common_pb.ts";
import {
  ChangeKind as ProtoChangeKind,
  ContentKind as ProtoContentKind,
  FileKind as ProtoFileKind,
  FileSort as ProtoFileSort,
  SearchEnd as ProtoSearchEnd,
  WriteDisposition as ProtoDisposition,
} from "../gen/sallyport/v1/files_pb.ts";
import type { AnswerKind, RulesFile } from "../model/gate-ports.ts";
import type { FileSort, WriteDisposition } from "../model/intent.ts";
import { invalid } from "../model/problem.ts";
import type { Source } from "../model/rule.ts";
import type { Scope } from "../model/scope.ts";
import type { Mode, Tier } from "../model/subject.ts";
import type { Verdict } from "../model/verdict.ts";
import type { FileInfo, FileReading } from "./ports/acting.ts";
import type { Searching, WatchChange } from "./ports/trees.ts";

// The model's words and the numbers that stand for them on the wire: one table for both directions. UNSPECIFIED is in none.

/** Verdicts. */
export const verdictNumbers: Readonly<Record<Verdict, ProtoVerdict>> = {
  allow: ProtoVerdict.ALLOW,
  ask: ProtoVerdict.ASK,
  deny: ProtoVerdict.DENY,
};
/** Modes. */
export const modeNumbers: Readonly<Record<Mode, ProtoMode>> = {
  supervised: ProtoMode.SUPERVISED,
  ask: ProtoMode.ASK,
  autopilot: ProtoMode.AUTOPILOT,
  "allow-all": ProtoMode.ALLOW_ALL,
};
/** Tiers. */
export const tierNumbers: Readonly<Record<Tier, ProtoTier>> = {
  "read-only": ProtoTier.READ_ONLY,
  builder: ProtoTier.BUILDER,
  operator: ProtoTier.OPERATOR,
  full: ProtoTier.FULL,
};
/** Sources of rules. */
export const sourceNumbers: Readonly<Record<Source, ProtoSource>> = {
  hardcoded: ProtoSource.HARDCODED,
  managed: ProtoSource.MANAGED,
  user: ProtoSource.USER,
  workspace: ProtoSource.WORKSPACE,
  agent: ProtoSource.AGENT,
  session: ProtoSource.SESSION,
};
/** Access to a granted folder. */
export const accessNumbers: Readonly<Record<Scope["access"], ProtoAccess>> = {
  ro: ProtoAccess.READ_ONLY,
  rw: ProtoAccess.READ_WRITE,
};
/** How long a grant lasts. */
export const lastsNumbers: Readonly<Record<Scope["lasts"], ProtoLasts>> = {
  once: ProtoLasts.ONCE,
  session: ProtoLasts.SESSION,
  always: ProtoLasts.ALWAYS,
};
/** Answers to a question. */
export const answerNumbers: Readonly<Record<AnswerKind, ProtoAnswer>> = {
  allow: ProtoAnswer.ALLOW,
  "always-allow": ProtoAnswer.ALWAYS_ALLOW,
  deny: ProtoAnswer.DENY,
  "always-deny": ProtoAnswer.ALWAYS_DENY,
  "allow-session": ProtoAnswer.ALLOW_SESSION,
  "allow-for": ProtoAnswer.ALLOW_FOR,
  "edit-and-allow": ProtoAnswer.EDIT_AND_ALLOW,
};
/** Files that an "always" writes to. */
export const rulesFileNumbers: Readonly<Record<RulesFile, ProtoRulesFile>> = {
  user: ProtoRulesFile.USER,
  workspace: ProtoRulesFile.WORKSPACE,
};
/** What a write does with what is there. */
export const dispositionNumbers: Readonly<Record<WriteDisposition, ProtoDisposition>> = {
  create: ProtoDisposition.CREATE,
  overwrite: ProtoDisposition.OVERWRITE,
  append: ProtoDisposition.APPEND,
};
/** Orders of files. */
export const fileSortNumbers: Readonly<Record<FileSort, ProtoFileSort>> = {
  name: ProtoFileSort.NAME,
  size: ProtoFileSort.SIZE,
  modified: ProtoFileSort.MODIFIED,
};
/** What a file's content is. */
export const contentKindNumbers: Readonly<Record<FileReading["content"]["kind"], ProtoContentKind>> = {
  text: ProtoContentKind.TEXT,
  binary: ProtoContentKind.BINARY,
};
/** What ended a search. */
export const searchEndNumbers: Readonly<Record<ReturnType<Searching["end"]>, ProtoSearchEnd>> = {
  complete: ProtoSearchEnd.COMPLETE,
  limit: ProtoSearchEnd.LIMIT,
  time: ProtoSearchEnd.TIME,
  size: ProtoSearchEnd.SIZE,
};
/** What happens below a watched folder. */
export const changeKindNumbers: Readonly<Record<WatchChange["kind"], ProtoChangeKind>> = {
  ready: ProtoChangeKind.READY,
  changed: ProtoChangeKind.CHANGED,
  removed: ProtoChangeKind.REMOVED,
  overflow: ProtoChangeKind.OVERFLOW,
};
/** Kinds of files. */
export const fileKindNumbers: Readonly<Record<FileInfo["kind"], ProtoFileKind>> = {
  file: ProtoFileKind.FILE,
  folder: ProtoFileKind.FOLDER,
  symlink: ProtoFileKind.SYMLINK,
  other: ProtoFileKind.OTHER,
};

/** The word for a number that a caller sent. @throws Problem `invalid_argument` for 0 and for a number that stands for nothing. */
export function wordOf<W extends string>(field: string, numbers: Readonly<Record<W, number>>, sent: number): W {
  // proto3 enums are open: any number arrives.
  for (const word of Object.keys(numbers) as W[]) if (numbers[word] === sent) return word;
  throw invalid(field, sent === 0 ? "must be set" : `${sent} is no known value`);
}

/** The same where 0 stands for something else. */
export function wordOr<W extends string, D>(
  field: string,
  numbers: Readonly<Record<W, number>>,
  sent: number,
  unset: D,
): W | D {
  return sent === 0 ? unset : wordOf(field, numbers, sent);
}
