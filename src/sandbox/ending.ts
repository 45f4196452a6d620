import { encodeKill, encodeTerminate } from "../wire/encode-frame.ts";
import type { ChannelHost } from "./process-channel.ts";

/** How long the steps of an end may take, in milliseconds. */
export interface EndingBounds {
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number;
  /** From SIGKILL until the whole sandbox is given up. */
  readonly killDeadlineMs: number;
}

/** Brings one command's tree to its end: it is asked, then it is killed, and where even that does not help the sandbox goes with it. */
export class Ending {
  readonly #channel: number;
  readonly #host: ChannelHost;
  readonly #bounds: EndingBounds;
  #step: "none" | "asked" | "killed" | "over" = "none";
  #timer: NodeJS.Timeout | undefined;

  constructor(channel: number, host: ChannelHost, bounds: EndingBounds) {
    this.#channel = channel;
    this.#host = host;
    this.#bounds = bounds;
  }

  /** SIGTERM to every process now, SIGKILL after the grace period. */
  ask(): void {
    if (this.#step !== "none") return;
    if (this.#bounds.graceMs === 0) {
      this.kill();
      return;
    }
    this.#step = "asked";
    this.#host.send(encodeTerminate(this.#channel));
    this.#timer = setTimeout(() => this.kill(), this.#bounds.graceMs);
  }

  /** SIGKILL to every process now. */
  kill(): void {
    if (this.#step === "killed" || this.#step === "over") return;
    clearTimeout(this.#timer);
    this.#step = "killed";
    this.#host.send(encodeKill(this.#channel));
    this.#timer = setTimeout(() => this.#host.end("a command could not be killed"), this.#bounds.killDeadlineMs);
  }

  /** Nothing of it is left. */
  over(): void {
    clearTimeout(this.#timer);
    this.#step = "over";
  }
}
