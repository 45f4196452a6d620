import { parentPort, workerData } from "node:worker_threads";
import { pageToMarkdown } from "./page-to-markdown.ts";

/** What the worker is started with. */
export interface MarkdownJob {
  readonly html: string;
  readonly baseUrl: string;
}

// The one place where a job becomes typed: it comes from `read-page.ts` alone.
const { html, baseUrl } = workerData as MarkdownJob;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
parentPort?.postMessage(pageToMarkdown(html, baseUrl));
