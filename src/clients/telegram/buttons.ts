import { AnswerKind, type Question, RulesFile } from "../../gen/sallyport/v1/approvals_pb.ts";

/** What a button does. */
export type Action =
  | { readonly kind: "answer"; readonly answer: AnswerKind; readonly file: RulesFile; readonly forSeconds: number }
  | { readonly kind: "menu"; readonly menu: Menu }
  | { readonly kind: "explain-reply" };

/** The first row, or everything else. */
export type Menu = "first" | "more";

/** A button before it has its callback data. */
export interface Button {
  readonly label: string;
  readonly action: Action;
}

/** What "for a time" means here. */
const shortWhileSeconds = 900;

const allowing: ReadonlySet<AnswerKind> = new Set([
  AnswerKind.ALLOW,
  AnswerKind.ALWAYS_ALLOW,
  AnswerKind.ALLOW_SESSION,
  AnswerKind.ALLOW_FOR,
]);

/** Rows of buttons: what the question says may be answered, and nothing that allows where it was not shown whole. */
export function buttonsFor(question: Question, shownWhole: boolean, menu: Menu): readonly (readonly Button[])[] {
  const offered = new Set(question.answers.filter((answer) => shownWhole || !allowing.has(answer)));
  const give = (label: string, answer: AnswerKind, file: RulesFile, forSeconds = 0): Button[] =>
    offered.has(answer) ? [{ label, action: { kind: "answer", answer, file, forSeconds } }] : [];
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

function fileWord(file: RulesFile): string {
  return file === RulesFile.WORKSPACE ? "in this workspace" : "everywhere";
}
