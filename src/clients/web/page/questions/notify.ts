import { signal } from "@preact/signals";
import { visible } from "../../../text/visible.ts";
import type { Question } from "../../../../gen/sallyport/v1/approvals_pb.ts";

/** Whether the desktop may be told of questions; undefined where this browser knows no notifications. */
export const mayTell = signal<NotificationPermission | undefined>(
  "Notification" in globalThis ? Notification.permission : undefined,
);

const longestBody = 200;
const open = new Map<string, Notification>();

/** Asks the person for leave; only in answer to a press. */
export async function askToTell(): Promise<void> {
  mayTell.value = await Notification.requestPermission();
}

const seen = "sallyport-seen";

/** Lets the other tabs know while this one can be seen, until the signal aborts. */
export function sayWhileSeen(signal: AbortSignal): void {
  if (!isSecureContext) return;
  let letGo: (() => void) | undefined;
  const look = (): void => {
    const visible = document.visibilityState === "visible" && !signal.aborted;
    if (visible === (letGo !== undefined)) return;
    letGo?.();
    const { promise, resolve } = Promise.withResolvers<void>();
    letGo = visible ? resolve : undefined;
    if (visible) void navigator.locks.request(seen, { mode: "shared" }, () => promise);
  };
  document.addEventListener("visibilitychange", look, { signal });
  signal.addEventListener("abort", look, { once: true });
  look();
}

/** Tells the desktop of a question, where nobody looks at any tab of the page. */
export async function tellOf({ id, agent, title }: Question): Promise<void> {
  if (mayTell.value !== "granted" || document.visibilityState === "visible") return;
  const held = isSecureContext ? (await navigator.locks.query()).held : [];
  if (held?.some(({ name }) => name === seen) === true) return;
  const shown = visible(title);
  const body = shown.length > longestBody ? `${shown.slice(0, longestBody).toWellFormed()}…` : shown;
  const notification = new Notification(`${visible(agent)} asks`, { body, tag: id, icon: "/icon.svg" });
  notification.addEventListener("click", () => {
    focus();
    location.hash = "#/questions";
    notification.close();
  });
  open.set(id, notification);
}

/** Takes it back. */
export function untell(id: string): void {
  open.get(id)?.close();
  open.delete(id);
}
