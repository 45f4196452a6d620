import { Worker } from "node:worker_threads";
import { Problem } from "../../model/problem.ts";
import { decodeText, parseContentType } from "./charset.ts";
import type { MarkdownJob } from "./markdown-worker.ts";

/** A page as text in UTF-8. */
export interface ReadPage {
  readonly text: string;
  /** `text/markdown` for what was HTML, otherwise the type as it came. */
  readonly mediaType: string;
}

/** Bounds of one page. */
export interface ReadingLimits {
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Mebibytes of the heap. */
  readonly heapMegabytes: number;
}

const defaultLimits: ReadingLimits = { timeoutMs: 10_000, heapMegabytes: 512 };

const htmlTypes = new Set(["text/html", "application/xhtml+xml"]);
const textTypes =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml|yaml|javascript|x-javascript|ecmascript|x-ndjson|toml|sql))$|\+(?:json|xml)$/;

/**
 * Makes text of an answer's body, for a reader who has no browser: HTML becomes Markdown, other text is decoded. HTML is worked on in a thread of its own with bounds on time and memory, so
 * that no page holds up anything else.
 * @throws Problem `failed_precondition` where the body is no text, `resource_exhausted` where the page takes too much, or the signal's reason
 */
export async function readPage(
  body: Uint8Array,
  contentType: string,
  baseUrl: string,
  signal: AbortSignal,
  limits: ReadingLimits = defaultLimits,
): Promise<ReadPage> {
  const parsed = parseContentType(contentType);
  const isHtml = htmlTypes.has(parsed.type) || (parsed.type === "" && looksLikeHtml(body));
  if (!isHtml && parsed.type !== "" && !textTypes.test(parsed.type))
    throw new Problem(
      "failed_precondition",
      `the answer is ${parsed.type}, which is no text: fetch it without as_text`,
    );
  const text = decodeText(body, parsed, isHtml);
  if (!isHtml && parsed.type === "" && text.includes("\0"))
    throw new Problem("failed_precondition", "the answer has no type and is no text: fetch it without as_text");
  if (!isHtml) return { text, mediaType: parsed.type === "" ? "text/plain" : parsed.type };
  return { text: await inThread({ html: text, baseUrl }, signal, limits), mediaType: "text/markdown" };
}

async function inThread(job: MarkdownJob, signal: AbortSignal, limits: ReadingLimits): Promise<string> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const worker = new Worker(new URL("./markdown-worker.ts", import.meta.url), {
    workerData: job,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMegabytes, stackSizeMb: 4 },
  });
  const onAbort = (): void => reject(signal.reason);
  const timer = setTimeout(() => reject(tooMuch(`more than ${limits.timeoutMs} ms`)), limits.timeoutMs);
  signal.addEventListener("abort", onAbort, { once: true });
  worker.once("message", (text) => resolve(String(text)));
  worker.once("error", (error) => reject(tooMuch("it is too large or nested too deep", error)));
  worker.once("exit", () => reject(tooMuch("it could not be worked on")));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
}

function tooMuch(why: string, cause?: unknown): Problem {
  return new Problem(
    "resource_exhausted",
    `the page could not be turned into text (${why}): fetch it without as_text`,
    {
      cause,
    },
  );
}

function looksLikeHtml(body: Uint8Array): boolean {
  return /^\s*(?:<!doctype html|<html|<head|<body)/i.test(Buffer.from(body.subarray(0, 512)).toString("latin1"));
}
