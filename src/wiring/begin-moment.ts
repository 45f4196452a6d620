/** Longest moment in milliseconds. Files and links change without asking this process: the look at them must not be older. */
const longestMs = 10;

/**
 * Begins a moment: what it returns tells whether it still lasts. It is over where this process has waited for anything that was not settled yet, so that it may have taken input of a
 * caller, a timer or a change of rules, and after 10 milliseconds of work. A moment that begins outside of a promise's continuation is over at once.
 */
export function beginMoment(): () => boolean {
  const began = performance.now();
  let waited = false;
  // Runs when no promise that is settled by now has anything left to do, before any other event (Node's guide to the event loop).
  process.nextTick(() => {
    waited = true;
  });
  return () => !waited && performance.now() - began <= longestMs;
}
