import { computed, signal } from "@preact/signals";
import { AnswerKind, type Question, type QuestionClosed } from "../../../../gen/sallyport/v1/approvals_pb.ts";
import { visible } from "../../../text/visible.ts";
import { waitingCount } from "../../../text/waiting-count.ts";
import { api, faultWords } from "../api.ts";
import { sayWhileSeen, tellOf, untell } from "./notify.ts";
import type { Reply } from "./reply.ts";
import { shareQuestions } from "./share-questions.ts";

/** A question on the page. A settled one stays for a moment, so that nothing moves under a hand that is about to press. */
export interface Card {
  readonly question: Question;
  readonly state:
    | { readonly kind: "open"; readonly fault?: string }
    | { readonly kind: "answering" }
    // `until`: how long it is shown at least, as `performance.now()` tells it.
    | { readonly kind: "settled"; readonly answer: AnswerKind; readonly by: string; readonly until: number };
}

/** Every card, the oldest first: new ones come below and move nothing. */
export const cards = signal<readonly Card[]>([]);
/** True while changes arrive. */
export const questionsConnected = signal(false);
/** False for a moment after something came or moved: what is pressed then was meant for what stood there before. */
export const armed = signal(true);
/** Questions that wait. */
export const questionCount = computed(() => cards.value.filter(({ state }) => state.kind !== "settled").length);

const sweeping = signal(false);
/** Settled cards go every so often, each after it was shown for a while. */
const settledMs = 4000;
const shownMs = 3000;
const armingMs = 600;

/** Follows the queue until the signal aborts. */
export async function followQuestions(stop: AbortSignal): Promise<void> {
  const looking = new AbortController();
  sayWhileSeen(looking.signal);
  await shareQuestions(
    {
      connected(connected) {
        questionsConnected.value = connected;
      },
      listed(open) {
        for (const { question, state } of cards.value)
          if (state.kind !== "settled" && !open.has(question.id)) settle(question.id, AnswerKind.UNSPECIFIED, "");
      },
      changed(event, first) {
        if (event.case === "opened") put(event.value, first);
        else if (event.case === "closed") close(event.value);
      },
    },
    stop,
  );
  looking.abort();
  cards.value = [];
  questionsConnected.value = false;
}

/** Answers; where somebody else was first, the queue says so, too. */
export async function answer(question: Question, reply: Reply, also: readonly string[] = []): Promise<void> {
  change(question.id, { kind: "answering" });
  const others = cards.value.flatMap((card) => (also.includes(card.question.id) ? [card.question] : []));
  const waiting = waitingCount([question, ...others]);
  try {
    const { notCounted } = await api.approvals.answer({ questionId: question.id, ...reply, also: [...also], waiting });
    for (const { questionId, reason } of notCounted)
      if (isOpen(questionId)) change(questionId, { kind: "open", fault: visible(reason) });
  } catch (error) {
    const card = cards.value.find((each) => each.question.id === question.id);
    if (card?.state.kind === "answering") change(question.id, { kind: "open", fault: faultWords(error) });
  }
}

function isOpen(id: string): boolean {
  return cards.value.some(({ question, state }) => question.id === id && state.kind === "open");
}

function put(question: Question, tells: boolean): void {
  const known = cards.value.some((card) => card.question.id === question.id);
  if (known) {
    // Asked once more by somebody else: the same question with more who wait.
    cards.value = cards.value.map((card) => (card.question.id === question.id ? { ...card, question } : card));
    return;
  }
  cards.value = [...cards.value, { question, state: { kind: "open" } }];
  // It stands below, but what belongs to others further down moves. The queue bounds how often an agent may do this.
  arm();
  if (tells) void tellOf(question);
}

function close({ id, answer: given, by }: QuestionClosed): void {
  untell(id);
  settle(id, given, by);
}

function settle(id: string, given: AnswerKind, by: string): void {
  // The keyboard goes on to another card, which nobody has looked at.
  if (isOpen(id)) arm();
  change(id, { kind: "settled", answer: given, by, until: performance.now() + shownMs });
  sweepLater();
}

function sweepLater(): void {
  if (sweeping.value) return;
  sweeping.value = true;
  setTimeout(sweep, settledMs);
}

/** Takes settled cards away together, so that an agent that asks and withdraws all the time cannot keep the page moving. What was settled a moment ago stays until the next time. */
function sweep(): void {
  sweeping.value = false;
  const now = performance.now();
  cards.value = cards.value.filter(({ state }) => state.kind !== "settled" || state.until > now);
  if (cards.value.some(({ state }) => state.kind === "settled")) sweepLater();
  arm();
}

function change(id: string, state: Card["state"]): void {
  cards.value = cards.value.map((card) => (card.question.id === id ? { ...card, state } : card));
}

/** Lets no button count for a moment. */
export function arm(): void {
  armed.value = false;
  setTimeout(() => {
    armed.value = true;
  }, armingMs);
}
