import type { ExecExit } from "../../gen/sallyport/v1/exec_pb.ts";

/** How a command ended: by its exit status or by a signal. */
export interface ExecEnd {
  readonly kind: "exit";
  readonly code: number | undefined;
  readonly signal: number | undefined;
  readonly durationMs: number;
  /** True where output past the cap was dropped. */
  readonly truncated: boolean;
  /** The limit that ended it, such as `timeout`, `idle` or `memory`; otherwise empty. */
  readonly limit: string;
  /** Why it failed, as far as its own words tell: a program that does not use the proxy; otherwise empty. */
  readonly hint: string;
  /** Resource use of the command and its children, as in getrusage(2). */
  readonly usage: { readonly userMicros: number; readonly systemMicros: number; readonly maxRssBytes: number };
}

/** An end as the API tells it. */
export function execEnd(exit: ExecExit): ExecEnd {
  const { status } = exit;
  return {
    kind: "exit",
    code: status.case === "code" ? status.value : undefined,
    signal: status.case === "signal" ? status.value : undefined,
    durationMs: Number(exit.durationMs),
    truncated: exit.truncated,
    limit: exit.limit,
    hint: exit.hint,
    usage: {
      userMicros: Number(exit.usage?.userUs ?? 0n),
      systemMicros: Number(exit.usage?.systemUs ?? 0n),
      maxRssBytes: Number(exit.usage?.maxRssBytes ?? 0n),
    },
  };
}
