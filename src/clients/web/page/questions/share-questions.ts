import { fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type ApprovalsServiceWatchResponse,
  ApprovalsServiceWatchResponseSchema,
} from "../../../../gen/sallyport/v1/approvals_pb.ts";
import { api } from "../api.ts";
import { keepFollowing, retry } from "../keep-following.ts";

/** What a tab is told of the queue. */
export interface QuestionTold {
  connected(connected: boolean): void;
  /** What is open, when it was looked at: whatever else a tab has is not open any more. */
  listed(ids: ReadonlySet<string>): void;
  /** `first`: this tab is the one that tells the desktop. */
  changed(event: ApprovalsServiceWatchResponse["event"], first: boolean): void;
}

/** Between tabs. Events are in the binary form of the API. */
type Said =
  | { readonly kind: "hello" }
  | { readonly kind: "connected"; readonly connected: boolean }
  | { readonly kind: "listed"; readonly ids: readonly string[] }
  | { readonly kind: "event"; readonly event: Uint8Array };

const name = "sallyport-questions";
const askAgainMs = 2000;

/**
 * Follows the queue until the signal aborts. Of all tabs of a browser one follows the server and tells the others, since a browser has few connections; where it
 * closes, the next one takes its place. Where there are no locks, each follows by itself.
 */
export async function shareQuestions(told: QuestionTold, stop: AbortSignal): Promise<void> {
  const channel = new BroadcastChannel(name);
  const open = new Map<string, Uint8Array>();
  let leads = false;
  let connected = false;
  // oxlint-disable-next-line require-post-message-target-origin -- a channel has none: it reaches this origin alone
  const say = (said: Said): void => channel.postMessage(said);
  const hear = (said: Said): void => {
    if (said.kind === "hello") {
      if (leads) answerHello();
    } else if (!leads) follow(said);
  };
  channel.addEventListener("message", ({ data }: MessageEvent<Said>) => hear(data));
  const asking = setInterval(() => {
    if (!leads && !connected && document.visibilityState === "visible") say({ kind: "hello" });
  }, askAgainMs);
  say({ kind: "hello" });

  function follow(said: Exclude<Said, { kind: "hello" }>): void {
    switch (said.kind) {
      case "connected":
        connected = said.connected;
        told.connected(connected);
        break;
      case "listed":
        told.listed(new Set(said.ids));
        break;
      case "event":
        told.changed(fromBinary(ApprovalsServiceWatchResponseSchema, said.event).event, false);
        break;
    }
  }

  /** Somebody has just come, or waits for a connection. */
  function answerHello(): void {
    say({ kind: "connected", connected });
    if (!connected) return retry();
    say({ kind: "listed", ids: [...open.keys()] });
    for (const event of open.values()) say({ kind: "event", event });
  }

  async function lead(): Promise<void> {
    if (stop.aborted) return;
    leads = true;
    await keepFollowing(
      {
        onState(now) {
          connected = now;
          told.connected(now);
          say({ kind: "connected", connected: now });
        },
        async follow(signal, works) {
          // Questions that were settled meanwhile are not told of again.
          const { questions } = await api.approvals.list({}, { signal });
          const ids = questions.map(({ id }) => id);
          open.clear();
          told.listed(new Set(ids));
          say({ kind: "listed", ids });
          works();
          for await (const message of api.approvals.watch({}, { signal })) {
            const event = toBinary(ApprovalsServiceWatchResponseSchema, message);
            if (message.event.case === "opened") open.set(message.event.value.id, event);
            else if (message.event.case === "closed") open.delete(message.event.value.id);
            told.changed(message.event, true);
            say({ kind: "event", event });
          }
        },
      },
      stop,
    );
  }

  try {
    // Not there where the context is not secure, whatever the types say.
    const locks: LockManager | undefined = isSecureContext ? navigator.locks : undefined;
    await (locks === undefined ? lead() : locks.request(name, { signal: stop }, lead));
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    if (leads) say({ kind: "connected", connected: false });
    clearInterval(asking);
    channel.close();
  }
}
