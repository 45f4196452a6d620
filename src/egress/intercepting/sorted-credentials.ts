import { judgedPath } from "../judged-url.ts";
import type { TargetUrl } from "../target-url.ts";
import type { Credential } from "./credential.ts";
import type { Interception } from "./interception.ts";

/** The credentials as one request sees them. */
export interface SortedCredentials {
  /** Those that are added to it. */
  readonly own: readonly Credential[];
  /** Those whose placeholders must not be in it. */
  readonly strange: readonly Credential[];
}

/** Sorts all credentials by a request. Without TLS none is for it. @throws EgressProblem `bad_url` where nobody can say which path it is for */
export function sortedCredentials(
  interception: Pick<Interception, "credentials" | "sort"> | undefined,
  url: TargetUrl,
  method: string,
): SortedCredentials {
  const path = judgedPath(url);
  if (interception === undefined) return { own: [], strange: [] };
  if (url.scheme === "http") return { own: [], strange: interception.credentials };
  return interception.sort({ authority: url, method, path });
}
