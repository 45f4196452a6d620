import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fetchIn, reasonOf } from "./support/lab.ts";
import { openProxyLab, type ProxyLab } from "./support/proxy-lab.ts";
import { ask, statusOf } from "./support/raw-client.ts";
import type { Listening } from "./support/servers.ts";
import { type Answer, startAnswering } from "./support/start-answering.ts";

let p: ProxyLab;
let server: Listening | undefined;
beforeEach(async () => {
  p = await openProxyLab();
});
afterEach(async () => {
  await Promise.all([p.close(), server?.close()]);
});

const ok = "HTTP/1.1 200 OK\r\n";
const five = "Content-Length: 5\r\n\r\nhello";

const chunks = "5\r\nhello\r\n0\r\n\r\n";
/** What parsers of HTTP take for a version, or should not. */
const versions =
  "HTTP/0.9,HTTP/1.2,HTTP/1.10,HTTP/01.1,HTTP/2,HTTP/2.0,HTTP/3.0,HTTP/9.9,http/1.1,HTTPS/1.1,RTSP/1.0,ICE/1.0,ICY,SIP/2.0,\0HTTP/1.1, HTTP/1.1".split(
    ",",
  );

/** Asks a server that answers so, through the proxy and by Fetch: status and reason, and Fetch's reason. */
async function asked(answer: Answer, more = ""): Promise<readonly unknown[]> {
  const started = await startAnswering(p.lab, answer);
  server = started;
  const { place } = started;
  const given = await ask(
    p.port,
    `GET http://${place}/ HTTP/1.1\r\nHost: ${place}\r\n${more === "" ? "Connection: close\r\n" : more}\r\n`,
  );
  const fetched = await reasonOf(fetchIn(p.lab, `http://${place}/`));
  return [statusOf(given), /"reason":"(\w+)"/.exec(given)?.[1], fetched];
}

const refused = [502, "protocol_error", "protocol_error"] as const;
const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n";

/** 103 is passed on, and comes before the answer. */
function statusOfFirst(pieces: readonly string[]): number {
  return statusOf(pieces.join("").trimStart().replace("HTTP/1.0", "HTTP/1.1"));
}

describe("an answer that can be read in two ways, or not be written again", () => {
  it.each([
    ["two framings", `${ok}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`],
    ["two lengths", `${ok}Content-Length: 6\r\n${five}`],
    ["an unknown coding", `${ok}Transfer-Encoding: xchunked\r\n\r\nhello`],
    ["two codings", `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`],
    ["a status of nothing", `HTTP/1.1 999 X\r\n${five}`],
    ["a status past the last", `HTTP/1.1 600 X\r\n${five}`],
    ["a bare line feed", `HTTP/1.1 200 OK\n${five}`],
    ["a folded line", `${ok}X: a\r\n b\r\n${five}`],
    ["a NUL", `${ok}X: a\0b\r\n${five}`],
    ["a control character in a header", `${ok}X: a\x01b\r\n${five}`],
    ["a coding behind a no-break space", `${ok}Transfer-Encoding: \xa0chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`],
    ["one coding twice", `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`],
    ["a coding in HTTP/1.0", `HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`],
    ["a status line without end", `HTTP/1.1 200 ${"O".repeat(100_000)}\r\n${five}`],
    ["another version after an interim answer", `HTTP/1.1 103 Early\r\n\r\nHTTP/2.0 200 OK\r\n${five}`],
    ["another version of an interim answer", `HTTP/2.0 103 Early\r\n\r\n${ok}${five}`],
    ["leave without end", "HTTP/1.1 100 Continue\r\n\r\n".repeat(40) + ok + five],
    ...versions.map((version): [string, string] => [`the version ${version}`, `${version} 200 OK\r\n${five}`]),
    ["blank lines without end", "\r\n".repeat(50_000) + ok + five],
    ["nothing but interim answers", (socket: Socket) => void socket.write("HTTP/1.1 103 Early\r\n\r\n".repeat(40))],
  ])("is refused: %s", async (_what, answer) => {
    expect(await asked(answer)).toEqual(refused);
  });

  it.each([
    ["another version", `HTTP/2.0 200 OK\r\n${five}`],
    ["a status of nothing", `HTTP/1.1 999 X\r\n${five}`],
    ["a control character in a header", `${ok}X: a\x01b\r\n${five}`],
  ])("is refused where an upgrade was asked for: %s", async (_what, answer) => {
    expect((await asked(answer, upgrade)).slice(0, 2)).toEqual([502, "protocol_error"]);
  });

  it.each([
    [
      "in small pieces",
      "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".split(/(?=.)/s),
    ],
    ["behind blank lines", [`\r\n\r\n${ok}${five}`]],
    ["without a reason", [`HTTP/1.1 200\r\n${five}`]],
    ["of HTTP/1.0", ["HTTP/1.0 200 OK\r\n\r\nhello"]],
  ])("passes all the same: %s", async (_what, pieces) => {
    const answer: Answer = (socket) => {
      const next = (at: number): void => {
        if (at === pieces.length) socket.end();
        else socket.write(pieces[at] ?? "", () => setImmediate(next, at + 1));
      };
      next(0);
    };
    expect(await asked(answer)).toEqual([statusOfFirst(pieces), undefined, "done"]);
  });

  it("harms nobody by its reason phrase, which is not passed on", async () => {
    for (const phrase of ["O\x01K", "\x1b[31m", "\xff\xfe"]) {
      expect((await asked(`HTTP/1.1 200 ${phrase}\r\n${five}`))[0]).toBe(200);
      await server?.close();
    }
    // The proxy is there for the next one.
    expect(
      statusOf(
        await ask(
          p.port,
          `GET ${p.lab.url("/")} HTTP/1.1\r\nHost: ok.test:${p.lab.origin.port}\r\nConnection: close\r\n\r\n`,
        ),
      ),
    ).toBe(200);
  });
});
