import { useEffect, useState } from "preact/hooks";
import { keepTime } from "../parts/now.ts";
import { askToTell, mayTell } from "./notify.ts";
import { QuestionGroup } from "./question-group.tsx";
import { type Card, cards, questionCount, questionsConnected } from "./question-store.ts";
import { useAnswerKeys } from "./use-answer-keys.ts";

/** All open questions. The keyboard speaks to one of them at a time, which is outlined. */
export function QuestionsPage() {
  const [chosen, choose] = useState<string | undefined>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    keepTime(stop.signal);
    return () => stop.abort();
  }, []);
  const open = cards.value.filter(({ state }) => state.kind !== "settled").map(({ question }) => question.id);
  const current = chosen !== undefined && open.includes(chosen) ? chosen : open[0];
  const step = (by: number): void => {
    const next = open[Math.min(open.length - 1, Math.max(0, open.indexOf(current ?? "") + by))];
    choose(next);
    document.getElementById(`question-${next}`)?.focus();
  };
  useAnswerKeys(open.length > 0, {
    j: () => step(1),
    k: () => step(-1),
  });
  const count = questionCount.value;
  return (
    <>
      <div class="page-head">
        <h1>Questions</h1>
        <p role="status" class="quiet">
          {count === 0 ? "Nothing waits for you." : `${count} ${count === 1 ? "waits" : "wait"} for you.`}
          {count > 1 && (
            <span class="keys">
              {" "}
              <kbd>j</kbd> and <kbd>k</kbd> go from one to the next.
            </span>
          )}
        </p>
        {mayTell.value === "default" && (
          <button type="button" onClick={() => void askToTell()}>
            Tell me on the desktop
          </button>
        )}
      </div>
      {!questionsConnected.value && (
        <p class="warning" role="alert">
          Not connected to Sallyport. What is shown here may be old; trying again.
        </p>
      )}
      {cards.value.length === 0 && (
        <p class="empty-page">When an agent wants something that needs your answer, it appears here at once.</p>
      )}
      <div
        onFocusCapture={(event) => {
          const id = event.target instanceof Element ? event.target.closest("article")?.id : undefined;
          if (id?.startsWith("question-") === true) choose(id.slice("question-".length));
        }}
      >
        {[...groupsOf(cards.value)].map(([key, group]) => (
          <QuestionGroup key={key} cards={group} current={current} />
        ))}
      </div>
    </>
  );
}

/** Cards that belong together, in the order of the first of each. */
function groupsOf(all: readonly Card[]): ReadonlyMap<string, readonly Card[]> {
  const groups = new Map<string, Card[]>();
  for (const card of all) {
    const key = card.question.group === "" ? card.question.id : card.question.group;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [card]);
    else group.push(card);
  }
  return groups;
}
