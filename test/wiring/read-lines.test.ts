import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readLines } from "../../src/wiring/read-lines.ts";

async function linesOf(...chunks: readonly (Buffer | string)[]): Promise<(string | undefined)[]> {
  const lines: (string | undefined)[] = [];
  for await (const line of readLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk))))) lines.push(line);
  return lines;
}

describe("the lines of a batch", () => {
  it.each([
    [["a\nb\n"], ["a", "b"]],
    [["a\nb"], ["a", "b"]],
    [["a\r\n\r\nb\r\n"], ["a\r", "\r", "b\r"]],
    [["a\rb\u2028c\u2029d\u0085e\n"], ["a\rb\u2028c\u2029d\u0085e"]],
    [["\ufeffa\n\ufeffb\n"], ["a", "\ufeffb"]],
    [["\ufeffa"], ["a"]],
    [[""], []],
    [["\n\n"], ["", ""]],
    [
      ["a", "b\nc", "\n"],
      ["ab", "c"],
    ],
    [[Buffer.from([0xc3]), Buffer.from([0xa9, 0x0a])], ["é"]],
    [[Buffer.from([0x61, 0xff, 0x0a, 0x62, 0x0a])], [undefined, "b"]],
    [[Buffer.from("ls \0\n")], ["ls \0"]],
  ])("of %j are %j", async (chunks, expected) => {
    expect(await linesOf(...chunks)).toEqual(expected);
  });

  it("are cut where they are endless, and go on behind them", async () => {
    const part = "é".repeat(1_048_577);
    const [long = "", next] = await linesOf(...Array.from({ length: 40 }, () => part), "\nnext\n");
    expect(long.length).toBeGreaterThan(8_388_608);
    expect(long.length).toBeLessThan(40_000_000 / 2);
    expect(next).toBe("next");
  });
});
