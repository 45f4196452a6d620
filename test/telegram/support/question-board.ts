import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  AnswerKind,
  type AnswerRequest,
  AnswerResponseSchema,
  type ApprovalsServiceWatchResponse,
  ApprovalsServiceWatchResponseSchema,
  type Question,
  QuestionSchema,
  RulesFile,
  TryEditResponseSchema,
} from "../../../src/gen/sallyport/v1/approvals_pb.ts";
import { Verdict } from "../../../src/gen/sallyport/v1/common_pb.ts";
import { SallyportError } from "../../../src/clients/client/sallyport-error.ts";
import type { SurfacePort } from "../../../src/clients/surface/surface-port.ts";

/** A queue of questions that a test holds in its hands. What stands behind it in the sidecar is tried in `test/e2e`. */
export interface QuestionBoard extends SurfacePort {
  readonly admins: Set<string>;
  /** Answers that counted, in order. */
  readonly answered: readonly { readonly request: AnswerRequest; readonly person: string }[];
  open(question?: MessageInitShape<typeof QuestionSchema>): Question;
  close(id: string, answer: AnswerKind, by: string): void;
  /** Ends every watch, as for a reader that fell behind. */
  cut(): void;
  /** The next answers fail so. */
  failWith(error: SallyportError): void;
  /** Edited texts that were looked at, in order. */
  readonly tried: readonly { readonly edited: string; readonly person: string }[];
}

/** Everything that may be answered to a command. */
export const everyAnswer: readonly AnswerKind[] = [
  AnswerKind.ALLOW,
  AnswerKind.ALWAYS_ALLOW,
  AnswerKind.DENY,
  AnswerKind.ALWAYS_DENY,
  AnswerKind.ALLOW_SESSION,
  AnswerKind.ALLOW_FOR,
  AnswerKind.EDIT_AND_ALLOW,
];

/** Makes an empty board. */
export function questionBoard(...admins: string[]): QuestionBoard {
  const open = new Map<string, Question>();
  const answered: { request: AnswerRequest; person: string }[] = [];
  const watchers = new Set<{ held: ApprovalsServiceWatchResponse[]; wake(): void; cut: boolean }>();
  const failures: SallyportError[] = [];
  const tried: { edited: string; person: string }[] = [];
  const allowed = new Set(admins);
  let count = 0;
  const emit = (event: ApprovalsServiceWatchResponse): void => {
    for (const watcher of watchers) {
      watcher.held.push(event);
      watcher.wake();
    }
  };
  const openedEvent = (value: Question): ApprovalsServiceWatchResponse =>
    create(ApprovalsServiceWatchResponseSchema, { event: { case: "opened", value } });
  async function* read(
    watcher: { held: ApprovalsServiceWatchResponse[]; wake(): void; cut: boolean },
    signal: AbortSignal,
  ) {
    const stop = (): void => watcher.wake();
    signal.addEventListener("abort", stop);
    try {
      while (!signal.aborted) {
        if (watcher.cut) throw new SallyportError("resource_exhausted", "the reader fell too far behind");
        const event = watcher.held.shift();
        if (event !== undefined) yield event;
        else await new Promise<void>((resolve) => (watcher.wake = resolve));
      }
    } finally {
      watchers.delete(watcher);
      signal.removeEventListener("abort", stop);
    }
  }
  const board: QuestionBoard = {
    admins: allowed,
    answered,
    tried,
    open(given = {}) {
      count += 1;
      const question = create(QuestionSchema, {
        id: `question-${count}`,
        agent: "builder",
        sessionId: "s1",
        channel: "socket",
        title: `run make ${count}`,
        findings: [],
        allowDrafts: [{ capability: "shell", match: "make *", effect: Verdict.ALLOW }],
        denyDrafts: [{ capability: "shell", match: "make *", effect: Verdict.DENY }],
        places: [
          { file: RulesFile.USER, path: "/home/u/permissions.yaml" },
          { file: RulesFile.WORKSPACE, path: "/home/u/workspaces/1/permissions.yaml" },
        ],
        askedAt: "2026-11-30T12:00:00.000Z",
        deadline: "2026-11-30T12:05:00.000Z",
        answers: [...everyAnswer],
        editable: `make ${count}`,
        waiting: 1,
        ...given,
      });
      open.set(question.id, question);
      emit(openedEvent(question));
      return question;
    },
    close(id, answer, by) {
      open.delete(id);
      emit(create(ApprovalsServiceWatchResponseSchema, { event: { case: "closed", value: { id, answer, by } } }));
    },
    cut() {
      for (const watcher of watchers) {
        watcher.cut = true;
        watcher.wake();
      }
    },
    failWith: (error) => void failures.push(error),
    watch(signal) {
      const watcher = { held: [...open.values()].map(openedEvent), wake: () => {}, cut: false };
      watchers.add(watcher);
      return read(watcher, signal);
    },
    list: () => Promise.resolve([...open.values()]),
    isAdmin: (person) => allowed.has(person),
    async answer(request, person) {
      await Promise.resolve();
      if (!allowed.has(person)) throw new SallyportError("permission_denied", "answering a question needs an admin");
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      if (!open.has(request.questionId)) throw new SallyportError("failed_precondition", "the question is closed");
      answered.push({ request, person });
      const gone = request.also.filter((id) => !open.has(id));
      for (const id of [request.questionId, ...request.also])
        if (open.has(id)) board.close(id, request.answer, `person-${person}`);
      return create(AnswerResponseSchema, {
        notCounted: gone.map((questionId) => ({ questionId, reason: "the question is closed" })),
      });
    },
    async tryEdit({ questionId, edited }, person) {
      await Promise.resolve();
      if (!allowed.has(person)) throw new SallyportError("permission_denied", "trying another text needs an admin");
      if (!open.has(questionId)) throw new SallyportError("failed_precondition", "the question is closed");
      if (edited.includes("sudo")) throw new SallyportError("failed_precondition", `run ${edited}: nothing lifts it`);
      tried.push({ edited, person });
      return create(TryEditResponseSchema, {
        title: `run ${edited}`,
        detail: `bash\n| ${edited}\nfolder\n| /work`,
        plan: `plan of ${edited}`,
      });
    },
  };
  return board;
}
