import { create } from "@bufbuild/protobuf";
import { type Question, type QuestionClosed, QuestionClosedSchema } from "../../gen/sallyport/v1/approvals_pb.ts";
import { pause, type Patience, waitAfter } from "./pause.ts";
import type { SurfaceLog, SurfacePort } from "./surface-port.ts";

/** Somebody who keeps up with the queue. */
export interface QuestionFollower {
  /** One that is known already changes nothing. */
  opened(question: Question): void;
  closed(closed: QuestionClosed): void;
  /** What it believes to be open. */
  readonly open: readonly string[];
}

/**
 * Tells followers of every change until the signal aborts. A watch that ends, such as that of a reader that fell behind, is begun anew; what was closed meanwhile is told
 * then. Never rejects.
 */
export async function followQuestions(
  port: SurfacePort,
  followers: readonly QuestionFollower[],
  { patience, log }: { readonly patience: Patience; readonly log: SurfaceLog },
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    try {
      // Joined before the list is read: what changes in between is in the watch.
      const changes = port.watch(signal);
      const open = new Set((await port.list()).map(({ id }) => id));
      for (const follower of followers)
        for (const id of follower.open.filter((known) => !open.has(known)))
          follower.closed(create(QuestionClosedSchema, { id, by: "it is no longer open" }));
      for await (const { event } of changes) {
        failures = 0;
        if (event.case === "opened") for (const follower of followers) follower.opened(event.value);
        else if (event.case === "closed") for (const follower of followers) follower.closed(event.value);
      }
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error }, "a surface lost the queue of questions");
    }
    if (signal.aborted) return;
    failures += 1;
    await pause(waitAfter(failures, patience), signal);
  }
}
