import { signal } from "@preact/signals";
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

/** Tells the desktop of a question, where nobody looks at the page. */
export function tellOf({ id, agent, title }: Question): void {
  if (mayTell.value !== "granted" || document.visibilityState === "visible") return;
  const body = title.length > longestBody ? `${title.slice(0, longestBody).toWellFormed()}…` : title;
  const notification = new Notification(`${agent} asks`, { body, tag: id, icon: "/icon.svg" });
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
