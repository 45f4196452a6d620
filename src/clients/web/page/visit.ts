import { signal } from "@preact/signals";
import { post } from "./post.ts";

/** Whether this browser is logged in; undefined until it is known. */
export const loggedIn = signal<boolean | undefined>(undefined);

const place = "sallyport-key";

/**
 * The page's half of what proves a visit; the other half is the cookie. It lies in the storage of this origin, which, unlike a cookie, no other port of this
 * host is sent.
 */
export function visitKey(): string {
  return localStorage.getItem(place) ?? "";
}

/** Asks the server whether the visit of before still counts. */
export async function resumeVisit(): Promise<void> {
  if (visitKey() === "") {
    loggedIn.value = false;
    return;
  }
  const { status } = await post("/visit", {}, visitKey());
  if (status === 200 || status === 401) loggedIn.value = status === 200;
  else throw new Error("Sallyport cannot be reached");
}

/** Keeps up with the other tabs of this browser, which share the visit, until the signal aborts. */
export function shareVisit(stop: AbortSignal): void {
  addEventListener(
    "storage",
    ({ key }) => {
      if (key !== place && key !== null) return;
      if (visitKey() === "") loggedIn.value = false;
      else if (loggedIn.value !== true) void resumeVisit().catch(() => undefined);
    },
    { signal: stop },
  );
}

/** Logs in; returns what is wrong, or undefined where nothing is. */
export async function logIn(password: string): Promise<string | undefined> {
  const { status, body } = await post("/login", { password }, "");
  const key = body["key"];
  if (status === 200 && typeof key === "string") {
    localStorage.setItem(place, key);
    loggedIn.value = true;
    return undefined;
  }
  const seconds = body["retryAfterSeconds"];
  if (typeof seconds === "number") return `Too many wrong passwords. Try again in ${seconds} seconds.`;
  const reason = body["reason"];
  return typeof reason === "string" ? sentence(reason) : "Sallyport cannot be reached.";
}

/** Logs this browser out, or every one. */
export async function logOut(everywhere: boolean): Promise<void> {
  await post(everywhere ? "/logout-all" : "/logout", {}, visitKey());
  forgetVisit();
}

/** What to do where the server no longer knows this browser. */
export function forgetVisit(): void {
  localStorage.removeItem(place);
  loggedIn.value = false;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
