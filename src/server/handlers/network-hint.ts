/** Bytes at the end of the output in which a message is looked for. */
export const hintBytes = 4096;

/**
 * What programs say when they look for a name or an address by themselves: resolvers (getaddrinfo(3), as curl, git, Python, Go and Node word it) and connect(2).
 */
const byItself =
  /could not resolve host|temporary failure (?:in name resolution|resolving)|name or service not known|nodename nor servname|no address associated with hostname|unable to resolve host|bad address '|name resolution failed|failed to lookup address|no such host|dial (?:tcp|udp)[^\n]*(?:lookup|unreachable|connection refused)|\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|ENETDOWN)\b|network is (?:unreachable|down)|network unreachable|no route to host|unknown host/i;

/** What is told of a command that failed so. It is a guess from its own words, so it decides nothing. */
const hint =
  "a program in it looked for the network by itself: there is none in the sandbox, and no DNS. Only the proxy in HTTP_PROXY, HTTPS_PROXY and ALL_PROXY leads out; have the program use it";

/** Looks at what a command says, to tell why it failed. */
export interface NetworkHint {
  see(data: Uint8Array): void;
  /** Why the command failed, as far as its words tell; empty where they do not, and where it did not fail. */
  of(exit: { readonly code: number | undefined }): string;
}

/** Begins to look at the output of one command. It keeps a few kilobytes. */
export function networkHint(): NetworkHint {
  let tail = Buffer.alloc(0);
  return {
    see(data) {
      const kept = Math.max(0, hintBytes - data.length);
      tail = Buffer.concat([kept === 0 ? tail.subarray(0, 0) : tail.subarray(-kept), data.subarray(-hintBytes)]);
    },
    of: ({ code }) => (code !== undefined && code !== 0 && byItself.test(tail.toString("latin1")) ? hint : ""),
  };
}
