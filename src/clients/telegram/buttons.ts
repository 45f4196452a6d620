import { AnswerKind, type Question, RulesFile } from "../../gen/sallyport/v1/approvals_pb.ts";

/** What a button does. */
export type Action =
  | { readonly kind: "answer"; readonly answer: AnswerKind; readonly file: RulesFile; readonly forSeconds: number }
  /** Allows another text, which does what it was shown to do (`plan`). */
  | { readonly kind: "allow-edited"; readonly edited: string; readonly plan: string }
  | { readonly kind: "menu"; readonly menu: Menu }
  | { readonly kind: "explain-reply" }
  | { readonly kind: "edit" }
  /** Takes an edited text off the chat. */
  | { readonly kind: "drop" }
  /** Shows every question of a group by itself. */
  | { readonly kind: "split" };

/** The first row, or everything else. */
export type Menu = "first" | "more";

/** A button before it has its callback data. */
export interface Button {
  readonly label: string;
  readonly action: Action;
}

/** Rows of buttons. */
export type Buttons = readonly (readonly Button[])[];

/** What "for a time" means here. */
const shortWhileSeconds = 900;

const allowing: ReadonlySet<AnswerKind> = new Set([
  AnswerKind.ALLOW,
  AnswerKind.ALWAYS_ALLOW,
  AnswerKind.ALLOW_SESSION,
  AnswerKind.ALLOW_FOR,
]);

/** What the question says may be answered, and nothing that allows where it was not shown whole. */
export function buttonsFor(question: Question, shownWhole: boolean, menu: Menu): Buttons {
  const offered = new Set(question.answers.filter((answer) => shownWhole || !allowing.has(answer)));
  const give = (label: string, answer: AnswerKind, file: RulesFile, forSeconds = 0): Button[] =>
    offered.has(answer) ? [answerButton(label, answer, file, forSeconds)] : [];
  const usual = question.places[0]?.file ?? RulesFile.UNSPECIFIED;
  const others = question.places.slice(1).map(({ file }) => file);
  const once = RulesFile.UNSPECIFIED;
  const more = [
    [
      ...give("For this session", AnswerKind.ALLOW_SESSION, once),
      ...give("For 15 minutes", AnswerKind.ALLOW_FOR, once, shortWhileSeconds),
    ],
    others.flatMap((file) => give(`Always allow, ${fileWord(file)}`, AnswerKind.ALWAYS_ALLOW, file)),
    give("Always deny", AnswerKind.ALWAYS_DENY, usual),
    others.flatMap((file) => give(`Always deny, ${fileWord(file)}`, AnswerKind.ALWAYS_DENY, file)),
    shownWhole && mayEdit(question) ? [{ label: "Edit and allow", action: { kind: "edit" } as const }] : [],
    offered.has(AnswerKind.DENY) ? [{ label: "Deny with a message", action: { kind: "explain-reply" } as const }] : [],
  ].filter((row) => row.length > 0);
  if (menu === "more") return [...more, [{ label: "Back", action: { kind: "menu", menu: "first" } }]];
  const first = [
    ...give("Allow", AnswerKind.ALLOW, once),
    ...give("Always allow", AnswerKind.ALWAYS_ALLOW, usual),
    ...give("Deny", AnswerKind.DENY, once),
  ];
  const rest: Button[] = more.length === 0 ? [] : [{ label: "More…", action: { kind: "menu", menu: "more" } }];
  return [first, rest].filter((row) => row.length > 0);
}

/** Whether another command may take the place of this one. */
export function mayEdit({ answers, editable }: Question): boolean {
  return editable !== "" && answers.includes(AnswerKind.EDIT_AND_ALLOW);
}

/** What can be done with an edited text that was shown whole. */
export function buttonsForEdited(edited: string, plan: string): Buttons {
  return [
    [
      { label: "Allow this", action: { kind: "allow-edited", edited, plan } },
      { label: "Not this", action: { kind: "drop" } },
    ],
  ];
}

/** One answer for all questions of a group, or each by itself. */
export function buttonsForGroup(count: number): Buttons {
  const once = RulesFile.UNSPECIFIED;
  return [
    [
      answerButton(`Allow all ${count}`, AnswerKind.ALLOW, once),
      answerButton(`Deny all ${count}`, AnswerKind.DENY, once),
    ],
    [{ label: "One by one", action: { kind: "split" } }],
  ];
}

function answerButton(label: string, answer: AnswerKind, file: RulesFile, forSeconds = 0): Button {
  return { label, action: { kind: "answer", answer, file, forSeconds } };
}

function fileWord(file: RulesFile): string {
  return file === RulesFile.WORKSPACE ? "in this workspace" : "everywhere";
}
