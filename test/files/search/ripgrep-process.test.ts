import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { type RipgrepEnd, ripgrepLines, startRipgrep } from "../../../src/files/search/ripgrep-process.ts";

/** A shell in place of the search program: it says what the test wants, piece by piece. */
function speak(script: string, signal = new AbortController().signal) {
  const ends: RipgrepEnd[] = [];
  const running = startRipgrep("/bin/sh", ["-c", script], "/");
  return { ends, lines: ripgrepLines(running, signal, (end) => void ends.push(end)) };
}

describe("the lines of a search program", () => {
  it("come whole and in order where it says little at a time", async () => {
    const { lines, ends } = speak("i=0; while [ $i -lt 500 ]; do printf line; printf ' %s\\n' $i; i=$((i+1)); done");
    expect(await Readable.from(lines).toArray()).toEqual(Array.from({ length: 500 }, (_, at) => `line ${at}`));
    expect(ends).toEqual([{ end: "complete", complaint: "" }]);
  });

  it("come one by one from a program that goes on running", async () => {
    const { lines } = speak("echo one; echo two; exec sleep 1000");
    expect(await lines.next()).toEqual({ done: false, value: "one" });
    expect(await lines.next()).toEqual({ done: false, value: "two" });
    await lines.return(undefined);
  });

  it("end where the caller goes away between two pieces", async () => {
    const controller = new AbortController();
    const { lines, ends } = speak("echo one; exec sleep 1000", controller.signal);
    expect(await lines.next()).toEqual({ done: false, value: "one" });
    const next = lines.next();
    controller.abort();
    await expect(next).rejects.toMatchObject({ code: "cancelled" });
    expect(ends).toEqual([]);
  });
});
