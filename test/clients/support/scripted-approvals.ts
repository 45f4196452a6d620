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
  readonly sent: Pick<AnswerRequest, "message" | "edited" | "forSeconds" | "file" | "also">[];
  /** Refuses the next edited text. */
  refuseEdit(because: string): void;
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
  let refusal: string | undefined;
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
    answer({ questionId, answer, message, edited, forSeconds, file, also }) {
      if (refusal !== undefined && answer === AnswerKind.EDIT_AND_ALLOW) {
        const because = refusal;
        refusal = undefined;
        const denial = { effect: "run it", ruleId: "r", source: "hardcoded", because, missing: "", next: "" };
        throw new Problem("failed_precondition", `run it: ${because}`, { denial });
      }
      if (!open.delete(questionId)) throw new Problem("failed_precondition", "web was first");
      answers.push({ id: questionId, answer });
      sent.push({ message, edited, forSeconds, file, also });
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
    refuseEdit: (because) => void (refusal = because),
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
