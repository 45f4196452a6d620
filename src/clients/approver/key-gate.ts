import { PassThrough } from "node:stream";
import type { ReadStream } from "node:tty";

/** The keyboard, between a terminal and the prompts. */
export interface KeyGate {
  /**
   * A fresh input for one prompt; keys of the first `graceMs` milliseconds do not reach it. Only one is open at a time. `choice` takes the keys that move and choose; `text` takes what is
   * typed and pasted, and Enter only where it comes alone.
   */
  open(graceMs: number, kind?: "choice" | "text"): PassThrough;
  close(): void;
  /** Aborts on Ctrl-C and where the terminal goes away. */
  readonly interrupted: AbortSignal;
  /** Called on Enter while no prompt is open. */
  onIdleEnter: () => void;
  /** Gives the terminal back. */
  release(): void;
}

const interruptKey = "\u0003";
const enterKey = "\r";
// Up and down in both cursor key modes, Enter, and Escape last, since it begins the others. Anything else does nothing.
const knownKeys = ["\u001b[A", "\u001b[B", "\u001bOA", "\u001bOB", enterKey, "\u001b"];

/**
 * Takes a terminal over. Keys count only while a question stands on the screen long enough to be read: what was typed before it is dropped, and so is a paste or
 * a shell line typed by mistake, whose letters would otherwise move the choice before its Enter confirms it.
 */
export function keyGate(input: ReadStream): KeyGate {
  const controller = new AbortController();
  let prompt: { readonly keys: PassThrough; readonly notBefore: number; readonly kind: "choice" | "text" } | undefined;
  const gate: KeyGate = {
    open(graceMs, kind = "choice") {
      const keys = new PassThrough();
      prompt = { keys, notBefore: performance.now() + graceMs, kind };
      return keys;
    },
    close() {
      prompt?.keys.destroy();
      prompt = undefined;
    },
    interrupted: controller.signal,
    onIdleEnter: () => {},
    release() {
      gate.close();
      input.off("data", onData);
      input.off("end", onGone);
      input.off("error", onGone);
      if (!input.destroyed) input.setRawMode(false);
      input.pause();
    },
  };
  function onData(data: Buffer | string): void {
    const text = data.toString();
    if (text.includes(interruptKey)) return controller.abort();
    if (prompt === undefined) {
      if (text === enterKey) gate.onIdleEnter();
      return;
    }
    if (performance.now() < prompt.notBefore) return;
    // The line end of a paste is no Enter.
    if (prompt.kind === "text") prompt.keys.write(text === enterKey ? text : text.replaceAll(/[\r\n]/g, ""));
    else if (isAllKnown(text)) prompt.keys.write(text);
  }
  const onGone = (): void => controller.abort();
  input.setRawMode(true);
  input.on("data", onData);
  input.on("end", onGone);
  input.on("error", onGone);
  input.resume();
  return gate;
}

function isAllKnown(text: string): boolean {
  let rest = text;
  while (rest !== "") {
    const key = knownKeys.find((known) => rest.startsWith(known));
    if (key === undefined) return false;
    rest = rest.slice(key.length);
  }
  return true;
}
