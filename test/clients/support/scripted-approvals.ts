import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  AnswerKind,
  type AnswerRequest,
  ApprovalsService,
  type ApprovalsServiceWatchResponseSchema,
  type QuestionSchema,
  RulesFile,
} from "../../../src/gen/sallyport/v1/approvals_pb.ts";
import { RuleSource, Verdict } from "../../../src/gen/sallyport/v1/common_pb.ts";
import { mount } from "./test-server.ts";
import { Problem } from "../../../src/model/problem.ts";

type Event = NonNullable<MessageInitShape<typeof ApprovalsServiceWatchResponseSchema>["event"]>;
type Question = MessageInitShape<typeof QuestionSchema>;

/** An Approvals service with a queue that the test fills and empties. */
export interface ScriptedApprovals {
  readonly mounted: ReturnType<typeof mount>;
  readonly answers: { id: string; answer: AnswerKind }[];
  /** What was sent beside the answer, in the same order. */
  readonly sent: Pick<AnswerRequest, "message" | "edited" | "plan" | "forSeconds" | "file" | "also" | "waiting">[];
  /** Texts that somebody had a look at. */
  readonly tried: string[];
  /** Refuses to look at the next edited text. */
  refuseEdit(because: string): void;
  /** Refuses the next answer; the question stays open. */
  refuseAnswer(because: string, field?: string): void;
  ask(question: Question): void;
  /** Closes a question as another surface would. */
  closeElsewhere(id: string, answer: AnswerKind, by: string): void;
  /** Closes it without telling the watchers, as in the moment before they hear of it. */
  loseRace(id: string): void;
  /** Ends every watch. */
  endWatches(): void;
}

/** Makes the service. */
export function scriptedApprovals(): ScriptedApprovals {
  const open = new Map<string, Question>();
  const answers: { id: string; answer: AnswerKind }[] = [];
  const sent: ScriptedApprovals["sent"] = [];
  const tried: string[] = [];
  let refusal: string | undefined;
  let answerRefusal: Problem | undefined;
  const watchers = new Set<(event: Event | undefined) => void>();
  const tell = (event: Event | undefined): void => {
    for (const watcher of watchers) watcher(event);
  };
  const mounted = mount(ApprovalsService, {
    list: () => ({ questions: [...open.values()] }),
    async *watch(_request, { signal }) {
      const queue: (Event | undefined)[] = [...open.values()].map((value) => ({ case: "opened", value }));
      let wake = Promise.withResolvers<void>();
      const watcher = (event: Event | undefined): void => {
        queue.push(event);
        wake.resolve();
      };
      watchers.add(watcher);
      signal.addEventListener("abort", () => watcher(undefined));
      try {
        for (;;) {
          for (let event = queue.shift(); event !== undefined; event = queue.shift()) yield { event };
          if (signal.aborted || watchers.size === 0) return;
          await wake.promise;
          wake = Promise.withResolvers();
        }
      } finally {
        watchers.delete(watcher);
      }
    },
    tryEdit({ edited }) {
      tried.push(edited);
      const because = refusal;
      refusal = undefined;
      if (because !== undefined) {
        const denial = { effect: "run it", ruleId: "r", source: "hardcoded", because, missing: "", next: "" };
        throw new Problem("failed_precondition", `run it: ${because}`, { denial });
      }
      const effect = { kind: { case: "run", value: { program: "ls", text: edited } } } as const;
      const findings = edited.includes("free") ? [] : [{ effect, verdict: Verdict.ASK, because: "no rule allows it" }];
      const detail = `bash\n| ${edited}`;
      return {
        title: `run ${edited}`,
        detail,
        findings,
        marks: [{ start: 7, end: detail.length }],
        plan: `plan of ${edited}`,
      };
    },
    answer({ questionId, answer, message, edited, plan, forSeconds, file, also, waiting }) {
      if (answerRefusal !== undefined) {
        const problem = answerRefusal;
        answerRefusal = undefined;
        throw problem;
      }
      if (!open.delete(questionId)) throw new Problem("failed_precondition", "web was first");
      answers.push({ id: questionId, answer });
      sent.push({ message, edited, plan, forSeconds, file, also, waiting });
      for (const other of also) {
        open.delete(other);
        tell({ case: "closed", value: { id: other, answer, by: "terminal" } });
      }
      tell({ case: "closed", value: { id: questionId, answer, by: "terminal" } });
      const always = answer === AnswerKind.ALWAYS_ALLOW || answer === AnswerKind.ALWAYS_DENY;
      return always ? { rules: [{ id: "r7", source: RuleSource.USER, capability: "shell", match: ["npm *"] }] } : {};
    },
  });
  return {
    mounted,
    answers,
    sent,
    tried,
    refuseEdit: (because) => void (refusal = because),
    refuseAnswer: (because, field) =>
      void (answerRefusal = new Problem("failed_precondition", because, field === undefined ? {} : { field })),
    ask(question) {
      open.set(question.id ?? "", question);
      tell({ case: "opened", value: question });
    },
    closeElsewhere(id, answer, by) {
      open.delete(id);
      tell({ case: "closed", value: { id, answer, by } });
    },
    loseRace: (id) => void open.delete(id),
    endWatches() {
      const all = [...watchers];
      watchers.clear();
      for (const watcher of all) watcher(undefined);
    },
  };
}

/** A question about `npm install`, with everything set. */
export function npmQuestion(id: string, more: Question = {}): Question {
  return {
    id,
    agent: "bot",
    sessionId: "s-1",
    channel: "tcp",
    title: `run npm install ${id}`,
    findings: [
      {
        effect: { kind: { case: "run", value: { program: "npm", text: `npm install ${id}` } } },
        verdict: Verdict.ASK,
        because: "a rule asks",
        rules: [
          {
            id: "r1",
            source: RuleSource.WORKSPACE,
            capability: "shell",
            match: ["npm install*"],
            origin: "rules.yaml:3",
          },
        ],
      },
    ],
    allowDrafts: [{ capability: "shell", match: "npm install *", effect: Verdict.ALLOW }],
    denyDrafts: [{ capability: "shell", match: "npm install *", effect: Verdict.DENY }],
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
    answers: [
      AnswerKind.ALLOW,
      AnswerKind.ALWAYS_ALLOW,
      AnswerKind.ALLOW_SESSION,
      AnswerKind.ALLOW_FOR,
      AnswerKind.DENY,
      AnswerKind.ALWAYS_DENY,
      AnswerKind.EDIT_AND_ALLOW,
    ],
    waiting: 1,
    group: "s-1:exec",
    editable: `npm install ${id}`,
    places: [
      { file: RulesFile.USER, path: "/c/permissions.yaml" },
      { file: RulesFile.WORKSPACE, path: "/c/workspaces/w/permissions.yaml" },
    ],
    ...more,
  };
}
