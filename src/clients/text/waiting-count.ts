/** How many requests an answer to these lets go, for AnswerRequest.waiting. A question from before a restart has nobody who waits yet, and is one request all the same. */
export function waitingCount(questions: readonly { readonly waiting: number }[]): number {
  return questions.reduce((sum, { waiting }) => sum + Math.max(1, waiting), 0);
}
