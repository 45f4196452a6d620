/** Calls back once a command has neither said nor taken anything for so long. */
export class IdleTimer {
  readonly #ms: number;
  readonly #heldUp: () => boolean;
  readonly #onIdle: () => void;
  #activeAt = performance.now();
  #timer: NodeJS.Timeout;

  /** `heldUp` tells that the command cannot go on because its reader does not: that is not its own silence. */
  constructor(ms: number, heldUp: () => boolean, onIdle: () => void) {
    this.#ms = ms;
    this.#heldUp = heldUp;
    this.#onIdle = onIdle;
    this.#timer = setTimeout(() => this.#check(), ms);
  }

  /** Something went in or out. Costs no timer. */
  touch(): void {
    this.#activeAt = performance.now();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    if (this.#heldUp()) this.touch();
    const leftMs = this.#activeAt + this.#ms - performance.now();
    if (leftMs <= 0) this.#onIdle();
    else this.#timer = setTimeout(() => this.#check(), Math.ceil(leftMs));
  }
}
