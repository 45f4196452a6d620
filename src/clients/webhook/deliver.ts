import type { ServiceAnswer, ServiceFetch } from "../surface/service-fetch.ts";
import { sign, signatureHeader } from "./signature.ts";

/** How an attempt ended. `later`: it may still succeed, after a wait where the program named one. `never`: the program does not want it. */
export type Delivery =
  | { readonly kind: "done" }
  | { readonly kind: "later"; readonly why: string; readonly waitMs: number | undefined }
  | { readonly kind: "never"; readonly why: string };

const attemptMs = 10_000;
/** Longest wait that the program may ask for, in seconds. */
const longestWait = 300;

/** Sends a body once. Never rejects. */
export async function deliver(
  body: Uint8Array,
  { url, secret, fetch: service }: { readonly url: string; readonly secret: string; readonly fetch: ServiceFetch },
  signal: AbortSignal,
): Promise<Delivery> {
  const time = Math.floor(Date.now() / 1000);
  const headers = { "content-type": "application/json", [signatureHeader]: sign(secret, "question", time, body) };
  let answer: ServiceAnswer;
  try {
    answer = await service({ url, headers, body, signal, timeoutMs: attemptMs });
  } catch (error) {
    return { kind: "later", why: error instanceof Error ? error.message : "failed", waitMs: undefined };
  }
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: "done" };
  const why = `the program answered ${status}`;
  const passing = status >= 500 || [408, 425, 429].includes(status);
  if (!passing) return { kind: "never", why };
  const seconds = /^\d{1,9}$/.exec(answer.headers.get("retry-after") ?? "")?.[0];
  return {
    kind: "later",
    why,
    waitMs: seconds === undefined ? undefined : Math.min(Number(seconds), longestWait) * 1000,
  };
}
