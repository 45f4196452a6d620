import type { MessageInitShape } from "@bufbuild/protobuf";
import { AnswerKind, type AnswerRequestSchema, type Question, RulesFile } from "../../gen/sallyport/v1/approvals_pb.ts";
import { exhausted } from "../text/exhausted.ts";
import { visible } from "../text/visible.ts";
import { waitingCount } from "../text/waiting-count.ts";
import { confirmEdit } from "./confirm-edit.ts";
import type { Option, Prompts, Unanswered } from "./prompts.ts";

/** An answer as it is sent, without the question that it is for. */
export type Reply = Omit<MessageInitShape<typeof AnswerRequestSchema>, "questionId" | "$typeName" | "$unknown">;

/** What came of a prompt. `left`: Escape, the question stays open. `cut`: the signal ended the prompt. Neither is ever an answer. */
export type Choice = { readonly kind: "answer"; readonly reply: Reply } | Unanswered;

/** What a person may choose from. */
export interface Choosing {
  readonly question: Question;
  /** Further open questions of the same group, now. */
  readonly alike: () => readonly Question[];
  /** An edited text that was not counted: the person goes on with it. */
  readonly edited?: string | undefined;
  /** Shows what an edited text would do and gives its plan. Undefined where it may not run, which was said. */
  readonly tryEdit: (edited: string) => Promise<string | undefined>;
  /** Prints lines of our own. */
  readonly print: (...lines: string[]) => void;
}

type Word =
  | "allow"
  | "always-allow"
  | "deny"
  | "more"
  | "session"
  | "minutes"
  | "workspace-allow"
  | "always-deny"
  | "workspace-deny"
  | "message"
  | "edit"
  | "together"
  | "back";

/** Lets a person answer: the usual answers first, the rest behind More. Starts on Deny. */
export async function chooseAnswer(choosing: Choosing, prompts: Prompts): Promise<Choice> {
  let { edited } = choosing;
  for (;;) {
    const choice = edited === undefined ? await usual(choosing, prompts) : await edit(edited, choosing, prompts);
    edited = undefined;
    if (choice !== "back") return choice;
  }
}

async function usual(choosing: Choosing, prompts: Prompts): Promise<Choice | "back"> {
  const { question } = choosing;
  const always = question.answers.includes(AnswerKind.ALWAYS_ALLOW);
  const came = await prompts.choose<Word>(
    "Your answer",
    [
      { value: "allow", label: "Allow", hint: "this once" },
      {
        value: "always-allow",
        label: "Always allow",
        hint: always ? "writes the rule" : "no rule can say this",
        disabled: !always,
      },
      { value: "deny", label: "Deny", hint: "this time" },
      { value: "more", label: "More…", hint: "for a time, by rule, with a message, edited" },
    ],
    "deny",
  );
  if (came.kind !== "value") return came;
  return came.value === "more" ? more(choosing, prompts) : chosen(came.value, choosing, prompts);
}

async function more(choosing: Choosing, prompts: Prompts): Promise<Choice | "back"> {
  const came = await prompts.choose<Word>("More answers", moreOptions(choosing), "back");
  // Escape goes one step back, not away.
  if (came.kind === "left") return "back";
  return came.kind === "cut" ? came : chosen(came.value, choosing, prompts);
}

function moreOptions({ question, alike }: Choosing): readonly Option<Word>[] {
  const others = alike().length;
  const can = (kind: AnswerKind): boolean => question.answers.includes(kind);
  const workspace = question.places.find(({ file }) => file === RulesFile.WORKSPACE);
  const inWorkspace = workspace === undefined ? "" : `writes to ${visible(workspace.path)}`;
  const options: readonly (Option<Word> & { readonly when: boolean })[] = [
    { value: "session", label: "Allow for this session", when: can(AnswerKind.ALLOW_SESSION) },
    { value: "minutes", label: "Allow for 15 minutes", when: can(AnswerKind.ALLOW_FOR) },
    {
      value: "workspace-allow",
      label: "Always allow in this workspace",
      hint: inWorkspace,
      when: can(AnswerKind.ALWAYS_ALLOW) && workspace !== undefined,
    },
    { value: "message", label: "Deny with a message", hint: "the agent is told", when: true },
    { value: "always-deny", label: "Always deny", hint: "writes the rule", when: can(AnswerKind.ALWAYS_DENY) },
    {
      value: "workspace-deny",
      label: "Always deny in this workspace",
      hint: inWorkspace,
      when: can(AnswerKind.ALWAYS_DENY) && workspace !== undefined,
    },
    {
      value: "edit",
      label: "Edit and allow",
      hint: "what you type is judged anew",
      when: can(AnswerKind.EDIT_AND_ALLOW) && question.editable !== "",
    },
    { value: "together", label: `Answer ${others + 1} like this together`, when: others > 0 },
    { value: "back", label: "Back", when: true },
  ];
  return options.filter(({ when }) => when).map(({ when: _when, ...option }) => option);
}

async function chosen(word: Word, choosing: Choosing, prompts: Prompts): Promise<Choice | "back"> {
  switch (word) {
    case "allow":
      return answer({ answer: AnswerKind.ALLOW });
    case "always-allow":
      return answer({ answer: AnswerKind.ALWAYS_ALLOW });
    case "deny":
      return answer({ answer: AnswerKind.DENY });
    case "session":
      return answer({ answer: AnswerKind.ALLOW_SESSION });
    case "minutes":
      return answer({ answer: AnswerKind.ALLOW_FOR });
    case "workspace-allow":
      return answer({ answer: AnswerKind.ALWAYS_ALLOW, file: RulesFile.WORKSPACE });
    case "always-deny":
      return answer({ answer: AnswerKind.ALWAYS_DENY });
    case "workspace-deny":
      return answer({ answer: AnswerKind.ALWAYS_DENY, file: RulesFile.WORKSPACE });
    case "message": {
      const came = await prompts.type("What the agent is told", "");
      if (came.kind === "value") return answer({ answer: AnswerKind.DENY, message: came.value });
      return came.kind === "left" ? "back" : came;
    }
    case "edit":
      return edit(choosing.question.editable, choosing, prompts);
    case "together":
      return together(choosing, prompts);
    case "more":
    case "back":
      return "back";
    default:
      return exhausted(word);
  }
}

/** Lets a person type and look until what was shown is what shall run. A line end stands as an escape in the text: the server reads it back. */
async function edit(text: string, { tryEdit }: Choosing, prompts: Prompts): Promise<Choice | "back"> {
  let edited = text.replaceAll("\n", "\\u{a}");
  for (;;) {
    const typed = await prompts.type("What runs in its place", edited);
    if (typed.kind !== "value") return typed.kind === "left" ? "back" : typed;
    edited = typed.value;
    const plan = await tryEdit(edited);
    if (plan === undefined) continue;
    const sure = await confirmEdit(prompts, true);
    if (sure.kind === "cut") return sure;
    if (sure.kind === "value" && sure.value === "allow")
      return answer({ answer: AnswerKind.EDIT_AND_ALLOW, edited, plan });
    if (sure.kind === "value" && sure.value === "back") return "back";
  }
}

async function together({ question, alike, print }: Choosing, prompts: Prompts): Promise<Choice | "back"> {
  // Those that were shown, and none that came since.
  const others = alike();
  print("This one, and:", ...others.map(togetherLine));
  const came = await prompts.choose<"allow" | "deny" | "back">(
    `The same answer for all ${others.length + 1}`,
    [
      { value: "allow", label: "Allow all", hint: "this once" },
      { value: "deny", label: "Deny all", hint: "this time" },
      { value: "back", label: "Back" },
    ],
    "back",
  );
  if (came.kind === "cut") return came;
  if (came.kind === "left" || came.value === "back") return "back";
  const also = others.map(({ id }) => id);
  const waiting = waitingCount([question, ...others]);
  return answer({ answer: came.value === "allow" ? AnswerKind.ALLOW : AnswerKind.DENY, also, waiting });
}

function togetherLine({ title, waiting }: Question): string {
  return `  ${visible(title)}${waiting > 1 ? ` (${waiting} requests)` : ""}`;
}

function answer(reply: Reply): Choice {
  return { kind: "answer", reply };
}
