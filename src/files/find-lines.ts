import { giveBack } from "../model/roomy-bytes.ts";

const lineFeed = 10;

/** The beginning of a chunk that holds `most` lines at most, and how many line feeds are in it. */
export function takeLines(chunk: Uint8Array, most: number): { readonly part: Uint8Array; readonly feeds: number } {
  let end = 0;
  let feeds = 0;
  while (feeds < most) {
    const at = chunk.indexOf(lineFeed, end);
    if (at === -1) return { part: chunk, feeds };
    end = at + 1;
    feeds += 1;
  }
  return { part: chunk.subarray(0, end), feeds };
}

/** Where line `from` begins, and undefined with the line feeds that there are where the file has not as many. Gives the chunks back. */
export async function offsetOfLine(
  chunks: AsyncIterable<Uint8Array>,
  from: number,
): Promise<{ readonly offset: number } | { readonly offset?: undefined; readonly feeds: number }> {
  let offset = 0;
  let feeds = 0;
  if (from === 1) return { offset };
  for await (const chunk of chunks) {
    const found = takeLines(chunk, from - 1 - feeds);
    feeds += found.feeds;
    offset += found.part.length;
    giveBack(chunk);
    if (feeds === from - 1) return { offset };
  }
  return { feeds };
}
