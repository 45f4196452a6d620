import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SallyportClient } from "../../../src/clients/client/create-client.ts";
import { AnswerKind, type AnswerRequestSchema, type Question } from "../../../src/gen/sallyport/v1/approvals_pb.ts";

/** Says how a question is answered; undefined leaves it open. */
export type Script = (question: Question) => ScriptedReply | undefined;

/** An answer, and what goes with it. */
export type ScriptedReply = Omit<MessageInitShape<typeof AnswerRequestSchema>, "questionId" | "$typeName" | "$unknown">;

/** A person who answers by a script, over the public API. */
export interface ScriptedApprover {
  /** Titles of the questions seen, in order. */
  readonly seen: readonly Question[];
  stop(): Promise<void>;
}

/** Watches the queue as an admin and answers by the script. */
export function scriptedApprover(admin: SallyportClient, script: Script): ScriptedApprover {
  const seen: Question[] = [];
  const controller = new AbortController();
  const done = (async () => {
    try {
      for await (const { event } of admin.approvals.watch({}, { signal: controller.signal })) {
        // Told again where who waits for it changed.
        if (event.case !== "opened" || seen.some(({ id }) => id === event.value.id)) continue;
        seen.push(event.value);
        const reply = script(event.value);
        if (reply !== undefined) await admin.approvals.answer({ ...reply, questionId: event.value.id });
      }
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    }
  })();
  // A failure surfaces in `stop`.
  done.catch(() => undefined);
  return {
    seen,
    async stop() {
      controller.abort();
      await done;
    },
  };
}

export const allow = { answer: AnswerKind.ALLOW } as const;
export const deny = { answer: AnswerKind.DENY } as const;
