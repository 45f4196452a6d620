/** How an admitted request ended. `abandoned`: the sidecar or the client went away before the end was known. */
export type Outcome =
  | { readonly kind: "done"; readonly facts: OutcomeFacts }
  | { readonly kind: "failed"; readonly reason: string; readonly facts: OutcomeFacts }
  | { readonly kind: "abandoned"; readonly reason: string };

/** Numbers and short words about the end, such as exit code, bytes, status; never content. */
export type OutcomeFacts = Readonly<Record<string, string | number | boolean>>;
