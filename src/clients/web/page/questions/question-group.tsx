import { useState } from "preact/hooks";
import { AnswerKind } from "../../../../gen/sallyport/v1/approvals_pb.ts";
import { ShownLine } from "../parts/shown-text.tsx";
import { QuestionCard } from "./question-card.tsx";
import { answer, armed, type Card } from "./question-store.ts";
import { offered } from "./reply.ts";

/** The server takes no more at once. */
const mostAtOnce = 100;
/** A title of this length may be cut: whoever allows it has to read its card. */
const wholeTitle = 480;

/** Questions of one kind of one agent: all of them whole, and one answer for all of them. */
export function QuestionGroup({
  cards,
  current,
}: {
  readonly cards: readonly Card[];
  readonly current: string | undefined;
}) {
  /** What was there when the list was opened: an answer is about nothing that came later. */
  const [listed, setListed] = useState<ReadonlySet<string> | undefined>(undefined);
  const waiting = cards.filter(({ state }) => state.kind === "open").slice(0, mostAtOnce + 1);
  const open = listed === undefined ? waiting : waiting.filter(({ question }) => listed.has(question.id));
  const [first, ...rest] = open;
  const together = first !== undefined && waiting.length > 1;
  const ids = rest.map(({ question }) => question.id);
  const all = (kind: AnswerKind): void => {
    if (armed.value && first !== undefined) void answer(first.question, { answer: kind }, ids);
  };
  const mayAllow = open.every(
    ({ question }) => offered(question).has(AnswerKind.ALLOW) && question.title.length < wholeTitle,
  );
  return (
    // The same elements alone and together: what a person has typed or unfolded must not go because another question came.
    <section
      class={together ? "group" : "alone"}
      aria-label={together ? `${waiting.length} questions that belong together` : undefined}
    >
      {together && (
        <div class="group-head">
          <p>
            <strong>{waiting.length} questions</strong> of <ShownLine text={first.question.agent} /> belong together.
          </p>
          <div class="answers">
            <button
              type="button"
              class="plain"
              aria-expanded={listed !== undefined}
              onClick={() =>
                setListed(listed === undefined ? new Set(waiting.map(({ question }) => question.id)) : undefined)
              }
            >
              Answer all at once
            </button>
          </div>
          {listed !== undefined && (
            <div class="more">
              <ol>
                {open.map(({ question }) => (
                  <li key={question.id}>
                    <code>
                      <ShownLine text={question.title} />
                    </code>
                    {question.suspicious && <span class="chip ask">look twice</span>}
                  </li>
                ))}
              </ol>
              <div class="answers" role="group" aria-label="Answer all">
                {mayAllow && (
                  <button
                    type="button"
                    class="allow"
                    aria-disabled={!armed.value}
                    onClick={() => all(AnswerKind.ALLOW)}
                  >
                    Allow all {open.length}
                  </button>
                )}
                <button type="button" class="deny" aria-disabled={!armed.value} onClick={() => all(AnswerKind.DENY)}>
                  Deny all {open.length}
                </button>
              </div>
            </div>
          )}
        </div>
      )}
      {cards.map((card) => (
        <QuestionCard key={card.question.id} card={card} current={card.question.id === current} />
      ))}
    </section>
  );
}
