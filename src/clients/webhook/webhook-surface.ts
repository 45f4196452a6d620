import { followQuestions } from "../surface/follow-questions.ts";
import { type Patience, usualPatience } from "../surface/pause.ts";
import type { ServiceFetch } from "../surface/service-fetch.ts";
import type { Surface } from "../surface/surface.ts";
import type { SurfaceLog, SurfacePort } from "../surface/surface-port.ts";
import { createSurfaceState } from "../surface/surface-state.ts";
import { deliver } from "./deliver.ts";
import { createDeliveries } from "./deliveries.ts";

/** What the webhook is made of. */
export interface WebhookOptions {
  readonly port: SurfacePort;
  readonly fetch: ServiceFetch;
  readonly url: string;
  readonly secret: string;
  readonly log: SurfaceLog;
  /** Waits between attempts; a second to a minute where not given. */
  readonly patience?: Patience;
  /** Milliseconds after which the end of a question is told no more; ten minutes where not given. */
  readonly endsAfterMs?: number;
}

const usualEndMs = 600_000;

/** Tells a program of every question and its end. It starts at once and in the background: that the program is not there holds up nothing. */
export function startWebhook(options: WebhookOptions): Surface {
  const { port, log, url, secret, fetch, patience = usualPatience, endsAfterMs = usualEndMs } = options;
  const state = createSurfaceState("webhook", log);
  const stop = new AbortController();
  const { signal } = stop;
  const send = (body: Uint8Array, until: AbortSignal) => deliver(body, { url, secret, fetch }, until);
  const deliveries = createDeliveries({ send, state, log, patience, endsAfterMs }, signal);
  deliveries.greet();
  const following = followQuestions(port, [deliveries], { patience, log }, signal);
  return {
    name: "webhook",
    state,
    async stop() {
      stop.abort();
      await following;
      await deliveries.settled();
    },
  };
}
