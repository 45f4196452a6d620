import { useState } from "preact/hooks";
import type { AnswerKind, Question } from "../../../../gen/sallyport/v1/approvals_pb.ts";
import { detailParts } from "../parts/detail-parts.ts";
import { fold } from "../parts/fold.ts";
import { ShownLine, ShownText } from "../parts/shown-text.tsx";
import { AnswerBar } from "./answer-bar.tsx";
import { Countdown } from "./countdown.tsx";
import { Findings } from "./findings.tsx";
import type { Card } from "./question-store.ts";
import { settledWords } from "./reply.ts";

/** Longest title that stands as a heading; the whole text is below it in any case. */
const longestTitle = 240;

/** One question: what will happen, why it is asked, and what each answer does. */
export function QuestionCard({ card, current }: { readonly card: Card; readonly current: boolean }) {
  const { question, state } = card;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const parts = detailParts(question.detail);
  const closedParts = parts.flatMap(({ lines }, index) =>
    fold(lines).hiddenLines > 0 && !open.has(index) ? [index] : [],
  );
  if (state.kind === "settled") return <SettledCard question={question} answer={state.answer} by={state.by} />;
  return (
    <article
      class={current ? "card current" : "card"}
      id={`question-${question.id}`}
      tabIndex={-1}
      aria-labelledby={`title-${question.id}`}
    >
      <header>
        <p class="who">
          <strong>
            <ShownLine text={question.agent} />
          </strong>{" "}
          asks
          <span class="quiet">
            {" "}
            on <ShownLine text={question.channel} />, session <ShownLine text={question.sessionId.slice(0, 8)} />
          </span>
          {question.waiting > 1 && <span class="chip">{question.waiting} requests wait for this</span>}
        </p>
        <Countdown deadline={question.deadline} />
      </header>
      <h2 id={`title-${question.id}`}>
        <ShownLine text={question.title.slice(0, longestTitle).toWellFormed()} />
        {question.title.length > longestTitle && <span class="quiet"> … the whole text is below</span>}
      </h2>
      {question.suspicious && (
        <p class="warning">
          <strong>Look twice.</strong> It holds characters that are hidden or look like others. They are shown as{" "}
          <span class="escape">\u{"{…}"}</span>.
        </p>
      )}
      {question.waitsForCaller && (
        <p class="warning">It was asked before a restart. Whoever asked has to ask again to use your answer.</p>
      )}
      <dl class="parts">
        {parts.map(({ label, lines }, index) => (
          <div class={lines.length === 1 && (lines[0]?.text.length ?? 0) < 90 ? "part short" : "part"} key={index}>
            <dt>
              <ShownLine text={label} />
            </dt>
            <dd>
              <ShownText
                lines={lines}
                marks={question.marks}
                open={open.has(index)}
                onOpen={() => setOpen(new Set([...open, index]))}
              />
            </dd>
          </div>
        ))}
      </dl>
      <Findings findings={question.findings} />
      <AnswerBar
        question={question}
        state={state}
        current={current}
        unread={closedParts.length}
        onRead={() => setOpen(new Set(parts.keys()))}
      />
    </article>
  );
}

function SettledCard({
  question,
  answer,
  by,
}: {
  readonly question: Question;
  readonly answer: AnswerKind;
  readonly by: string;
}) {
  return (
    <article class="card settled">
      <p role="status">
        <strong>
          <ShownLine text={settledWords(answer, by)} />
        </strong>
      </p>
      <p class="quiet">
        <ShownLine text={question.title.slice(0, longestTitle).toWellFormed()} />
      </p>
    </article>
  );
}
