import { Resolver } from "node:dns/promises";
import { parseAddress, type Address } from "./address.ts";
import { EgressProblem } from "./egress-problem.ts";

/** How names are resolved. */
export interface ResolverOptions {
  /** `ADDRESS` or `ADDRESS:PORT` of the servers to ask; empty: those of the system. */
  readonly servers: readonly string[];
  /** Milliseconds until an unanswered query is sent again or given up. */
  readonly timeoutMs: number;
  /** Times a query is sent. */
  readonly tries: number;
}

/** Resolves a canonical name to all its addresses, at least one. @throws EgressProblem `dns_*`, or the signal's reason. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly Address[]>;

/** The system's servers, asked twice at most. */
export const defaultResolverOptions: ResolverOptions = { servers: [], timeoutMs: 2500, tries: 2 };

/**
 * Makes the resolver. It asks the DNS only: no hosts file, no search domains, no cache. Each request has a resolver of its own, because
 * cancelling one cancels all its queries.
 */
export function createResolve(options: ResolverOptions = defaultResolverOptions): Resolve {
  return async (name, signal) => {
    signal.throwIfAborted();
    const resolver = new Resolver({ timeout: options.timeoutMs, tries: options.tries });
    if (options.servers.length > 0) resolver.setServers([...options.servers]);
    const cancel = () => resolver.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      // Both families, all answers: an address that is not looked at could be the one that is dialled.
      const answers = await Promise.all([answersOf(resolver.resolve4(name)), answersOf(resolver.resolve6(name))]);
      return judged(name, answers);
    } catch (error) {
      resolver.cancel();
      signal.throwIfAborted();
      throw problemOf(name, error);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  };
}

interface Answer {
  readonly texts: readonly string[];
  /** False where the name does not exist, as opposed to having no address of this family. */
  readonly exists: boolean;
}

/** No address of one family is normal; every other failure leaves answers unseen and refuses the request. */
async function answersOf(query: Promise<string[]>): Promise<Answer> {
  try {
    return { texts: await query, exists: true };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENODATA") return { texts: [], exists: true };
    if (code === "ENOTFOUND") return { texts: [], exists: false };
    throw error;
  }
}

function judged(name: string, answers: readonly Answer[]): readonly Address[] {
  const texts = new Set(answers.flatMap((answer) => answer.texts));
  if (texts.size === 0) {
    if (answers.every((answer) => !answer.exists)) throw new EgressProblem("dns_nxdomain", `${name} does not exist`);
    // A CNAME loop, and a CNAME to a name without an address, end here, too.
    throw new EgressProblem("dns_empty", `${name} has no address`);
  }
  return [...texts].map((text) => {
    const address = parseAddress(text);
    if (address === undefined) throw new EgressProblem("dns_failure", `${name}: the resolver answered no address`);
    return address;
  });
}

function problemOf(name: string, error: unknown): EgressProblem {
  if (error instanceof EgressProblem) return error;
  const code = codeOf(error);
  return code === "ETIMEOUT"
    ? new EgressProblem("dns_timeout", `${name}: the resolver did not answer in time`, { cause: error })
    : new EgressProblem("dns_failure", `${name}: the resolver failed (${code})`, { cause: error });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
