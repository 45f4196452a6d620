import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { SearchAction } from "../../model/action.ts";
import type { EntryVerdict } from "../../model/gate-ports.ts";
import { Problem } from "../../model/problem.ts";
import { parseSearchGlob } from "../globs/search-glob.ts";
import { type JudgedNow, withJudged } from "../judged-path.ts";
import { ignoredFromAbove } from "../walk/ignore-stack.ts";
import { ripgrepArguments } from "./ripgrep-arguments.ts";
import { parseRipgrepMessage } from "./ripgrep-message.ts";
import { type RipgrepEnd, ripgrepLines, type RunningRipgrep, startRipgrep } from "./ripgrep-process.ts";
import { lineHit, type SearchEnd, type SearchHit } from "./search-hit.ts";
import { verifiedFiles } from "./verified-files.ts";

/** What a search works with. */
export interface SearchParts {
  /** The search program. */
  readonly ripgrep: string;
  readonly verdict: EntryVerdict;
  /** Places that may not be read, so that it need not look there. */
  readonly hidden: readonly AbsolutePath[];
  readonly signal: AbortSignal;
  readonly ended: (end: SearchEnd) => void;
}

/**
 * Searches the content of the files below a folder. Hits of one file come together and in order, files in any order.
 * @throws Problem `invalid_argument` for a pattern that cannot be read, `failed_precondition` where it is no folder, `cancelled`, `unavailable`, `aborted` …
 */
export async function* searchContent(action: SearchAction, parts: SearchParts): AsyncGenerator<SearchHit> {
  const { path: root, includeIgnored, limit } = action;
  const names = parseSearchGlob(action.glob);
  const isIgnored = includeIgnored ? () => false : ignoredFromAbove(root, parts.verdict);
  const args = ripgrepArguments(action, names, parts.hidden);
  let how: RipgrepEnd = { end: "complete", complaint: "" };
  const { running, device } = withJudged(root, (place) => start(place, parts.ripgrep, args));
  const files = verifiedFiles({
    root,
    device,
    verdict: parts.verdict,
    wanted: (components) => names.matches(components) && !isIgnored(components, false),
  });
  let hits = 0;
  let told = false;
  try {
    for await (const line of ripgrepLines(running, parts.signal, (end) => void (how = end))) {
      const message = parseRipgrepMessage(line);
      if (message === "summary") told = true;
      if (message === undefined || message === "summary") continue;
      const path = files.find(message);
      if (path === undefined) continue;
      if (!message.context) hits += 1;
      if (hits > limit) {
        parts.ended("limit");
        return;
      }
      yield lineHit(path, message);
    }
  } finally {
    files.close();
  }
  if (how.end === "complete" && !told) throw complaintProblem(how.complaint);
  parts.ended(how.end);
}

/** Starts the search in the open folder, wherever its name leads by now. */
function start(
  { path, stats, way }: JudgedNow,
  program: string,
  args: readonly string[],
): { readonly running: RunningRipgrep; readonly device: bigint } {
  if (!stats.isDirectory()) throw new Problem("failed_precondition", `${path}: it is no folder`, { field: "path" });
  return { running: startRipgrep(program, args, way), device: stats.dev };
}

/** It says nothing at the end where it did not begin. */
function complaintProblem(complaint: string): Problem {
  const text = complaint.replace(/^rg: /, "").trim();
  const isPattern = /regex|pattern|literal|look-|backreference|class|repetition|size limit/i.test(text);
  return isPattern
    ? new Problem("invalid_argument", `pattern: ${text}`, { field: "pattern" })
    : new Problem("unavailable", `the search program failed: ${text === "" ? "it was ended" : text}`);
}
