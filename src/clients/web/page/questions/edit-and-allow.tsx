import { useState } from "preact/hooks";
import { AnswerKind, type Question, type TryEditResponse } from "../../../../gen/sallyport/v1/approvals_pb.ts";
import { hasHidden } from "../../../text/visible.ts";
import { api } from "../api.ts";
import { Fault } from "../parts/fault.tsx";
import { ShownLine } from "../parts/shown-text.tsx";
import { useAct } from "../parts/use-act.ts";
import { EditedLook } from "./edited-look.tsx";
import { arm } from "./question-store.ts";
import type { Reply } from "./reply.ts";

/** Lets another text run, once it was shown what that would do. It is judged anew: what is denied stays denied. */
export function EditAndAllow({
  question,
  waits,
  onAllow,
}: {
  readonly question: Question;
  readonly waits: boolean;
  readonly onAllow: (reply: Reply) => void;
}) {
  const [text, setText] = useState(question.editable);
  const [look, setLook] = useState<TryEditResponse | undefined>(undefined);
  const { busy, fault, start } = useAct();
  const id = `edit-${question.id}`;
  const tryIt = async (): Promise<void> => {
    setLook(await api.approvals.tryEdit({ questionId: question.id, edited: text }));
    // The button that allows stands where the one was that was pressed.
    arm();
  };
  return (
    <form
      class="message"
      onSubmit={(event) => {
        event.preventDefault();
        if (waits || busy) return;
        if (look === undefined) start(tryIt);
        else onAllow({ answer: AnswerKind.EDIT_AND_ALLOW, edited: text, plan: look.plan });
      }}
    >
      <label for={id}>Edit, and allow what you made of it</label>
      <textarea
        id={id}
        dir="ltr"
        rows={Math.min(12, text.split("\n").length + 1)}
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setLook(undefined);
        }}
      />
      {hasHidden(text) && (
        <div class="warning">
          <p>It holds characters that this field does not show. What would run is:</p>
          <pre dir="ltr">
            {text.split("\n").map((line, index) => (
              <div class="line" key={index}>
                <ShownLine text={line} />
              </div>
            ))}
          </pre>
        </div>
      )}
      {look !== undefined && <EditedLook look={look} />}
      <Fault text={fault} />
      <button
        type="submit"
        class={look === undefined ? undefined : "allow"}
        aria-disabled={waits || busy || text.trim() === "" || text === question.editable}
      >
        {look === undefined ? "See what it would do" : "Allow this instead"}
      </button>
    </form>
  );
}
