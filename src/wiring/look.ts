/** What `sallyport doctor` looked at, and what is wrong with it. */
export interface Look {
  readonly what: "runtimes" | "rules" | "record" | "search" | "surfaces";
  readonly ok: boolean;
  readonly lines: readonly string[];
}
