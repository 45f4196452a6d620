import { useState } from "preact/hooks";
import { AnswerKind, type Question } from "../../../../gen/sallyport/v1/approvals_pb.ts";
import { countWords } from "../parts/fold.ts";
import { AnswerMenu } from "./answer-menu.tsx";
import { Drafts } from "./drafts.tsx";
import { answer, arm, armed, type Card } from "./question-store.ts";
import { offered, type Reply, usualPlace } from "./reply.ts";
import { useAnswerKeys } from "./use-answer-keys.ts";
import { Fault } from "../parts/fault.tsx";

/** What an answer bar is about. */
interface AnswerBarProps {
  readonly question: Question;
  readonly state: Exclude<Card["state"], { readonly kind: "settled" }>;
  /** True where the keyboard speaks to this card. */
  readonly current: boolean;
  /** Parts of the text that are still folded: nobody allows what he has not seen. */
  readonly unread: number;
  readonly onRead: () => void;
}

/** The answers: the three usual ones, and the rest behind a button. */
export function AnswerBar({ question, state, current, unread, onRead }: AnswerBarProps) {
  const [more, setMore] = useState(false);
  const [file, setFile] = useState(usualPlace(question));
  const kinds = offered(question);
  const busy = state.kind === "answering";
  const give = (reply: Reply): void => {
    if (!armed.value || busy) return;
    void answer(question, reply);
  };
  const allow = (reply: Reply): void => {
    if (!armed.value || busy) return;
    if (unread === 0) return give(reply);
    onRead();
    // The second press of a double click was not meant for what is seen only now.
    arm();
  };
  const actions = {
    allow: () => allow({ answer: AnswerKind.ALLOW }),
    always: () => allow({ answer: AnswerKind.ALWAYS_ALLOW, file }),
    deny: () => give({ answer: AnswerKind.DENY }),
    more: () => setMore(!more),
  };
  useAnswerKeys(current, {
    a: kinds.has(AnswerKind.ALLOW) ? actions.allow : undefined,
    A: kinds.has(AnswerKind.ALWAYS_ALLOW) ? actions.always : undefined,
    d: kinds.has(AnswerKind.DENY) ? actions.deny : undefined,
    m: actions.more,
  });
  const waits = !armed.value || busy;
  return (
    <footer>
      {unread > 0 && (
        <p class="warning">
          {countWords(unread, "part of the text is", "parts of the text are")} folded. Allowing unfolds it first.
        </p>
      )}
      <div class="answers" role="group" aria-label="Answer">
        {kinds.has(AnswerKind.ALLOW) && (
          <button type="button" class="allow" aria-disabled={waits} onClick={actions.allow}>
            Allow <kbd>a</kbd>
          </button>
        )}
        {kinds.has(AnswerKind.ALWAYS_ALLOW) && (
          <button type="button" aria-disabled={waits} onClick={actions.always}>
            Always allow <kbd>A</kbd>
          </button>
        )}
        {kinds.has(AnswerKind.DENY) && (
          <button type="button" class="deny" aria-disabled={waits} onClick={actions.deny}>
            Deny <kbd>d</kbd>
          </button>
        )}
        <button type="button" class="plain" aria-expanded={more} onClick={actions.more}>
          More <kbd>m</kbd>
        </button>
      </div>
      {kinds.has(AnswerKind.ALWAYS_ALLOW) && (
        <Drafts heading="Always allow writes to" question={question} drafts={question.allowDrafts} file={file} />
      )}
      {more && (
        <AnswerMenu
          question={question}
          kinds={kinds}
          file={file}
          onFile={setFile}
          waits={waits}
          onAllow={allow}
          onDeny={give}
        />
      )}
      {state.kind === "open" && <Fault text={state.fault} />}
    </footer>
  );
}
