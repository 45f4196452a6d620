import type { OutputBytes } from "../../model/background.ts";
import type { OutcomeFacts } from "../../model/outcome.ts";
import type { ProcessExit } from "../../model/runtime.ts";

/** What the record says of the output of a command. */
export function countsOf(sent: OutputBytes): OutcomeFacts {
  return { stdoutBytes: sent.stdout, stderrBytes: sent.stderr };
}

/** What the record says of the end of a command. */
export function factsOf(exit: ProcessExit, sent: OutputBytes): OutcomeFacts {
  return {
    ...(exit.code === undefined ? {} : { code: exit.code }),
    ...(exit.signal === undefined ? {} : { signal: exit.signal }),
    durationMs: Math.round(exit.durationMs),
    ...countsOf(sent),
    truncated: exit.truncated,
    ...(exit.limit === undefined ? {} : { limit: exit.limit }),
  };
}
