import { expect, it } from "vitest";
import { networkHint } from "../../src/server/handlers/network-hint.ts";

/** What is told of a command that said this and ended so. */
function told(words: string, code: number | undefined = 1): string {
  const hint = networkHint();
  hint.see(Buffer.from(words));
  return hint.of({ code });
}

it.each([
  "curl: (6) Could not resolve host: example.com",
  "wget: bad address 'example.com'",
  "fatal: unable to access 'https://x.test/': Could not resolve host: x.test",
  "ssh: Could not resolve hostname x.test: Temporary failure in name resolution",
  "ping: x.test: Name or service not known",
  "Temporary failure resolving 'x.test'",
  "socket.gaierror: [Errno -3] Temporary failure in name resolution",
  "OSError: [Errno 101] Network is unreachable",
  "Error: getaddrinfo EAI_AGAIN x.test",
  "dial tcp: lookup x.test on 127.0.0.1:53: read: connection refused",
  "error sending request: failed to lookup address information",
  "connect: No route to host",
])("says why where a program wrote: %s", (words) => {
  expect(told(words)).toContain("HTTP_PROXY");
});

it.each([["error: no test specified"], ["curl: (22) The requested URL returned error: 403"], [""]])(
  "says nothing of another failure: %s",
  (words) => {
    expect(told(words)).toBe("");
  },
);

it("says nothing of a command that did not fail, or was killed", () => {
  expect(told("Could not resolve host: x.test", 0)).toBe("");
  expect(networkHint().of({ code: undefined })).toBe("");
});

it("sees words that came in pieces, at the end of much output", () => {
  const hint = networkHint();
  hint.see(Buffer.alloc(100_000, "x"));
  for (const piece of ["Could not re", "solve host", `: x.test${"\n".repeat(3000)}`]) hint.see(Buffer.from(piece));
  expect(hint.of({ code: 6 })).not.toBe("");
  hint.see(Buffer.alloc(4096, "y"));
  expect(hint.of({ code: 6 })).toBe("");
});
