import { useState } from "preact/hooks";
import { AnswerKind, type Question } from "../../../../gen/sallyport/v1/approvals_pb.ts";
import { hasHidden } from "../../../text/visible.ts";
import { ShownLine } from "../parts/shown-text.tsx";
import type { Reply } from "./reply.ts";

/** Lets another text run. It is judged anew: what is denied stays denied. */
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
  const id = `edit-${question.id}`;
  return (
    <form
      class="message"
      onSubmit={(event) => {
        event.preventDefault();
        onAllow({ answer: AnswerKind.EDIT_AND_ALLOW, edited: text });
      }}
    >
      <label for={id}>Edit, and allow what you made of it</label>
      <textarea
        id={id}
        dir="ltr"
        rows={Math.min(12, text.split("\n").length + 1)}
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
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
      <button type="submit" aria-disabled={waits || text.trim() === "" || text === question.editable}>
        Edit and allow
      </button>
    </form>
  );
}
