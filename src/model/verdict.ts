/** What a rule, a finding or a decision says. */
export type Verdict = "allow" | "ask" | "deny";

const rank: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

/** True where `a` allows less than `b`. */
export function isStricter(a: Verdict, b: Verdict): boolean {
  return rank[a] > rank[b];
}

/** The strictest of the verdicts. The strictest of nothing is deny: nobody spoke for it. */
export function strictest(verdicts: Iterable<Verdict>): Verdict {
  let found: Verdict | undefined;
  for (const verdict of verdicts) if (found === undefined || rank[verdict] > rank[found]) found = verdict;
  return found ?? "deny";
}
