import { visible } from "../../../text/visible.ts";

/** The end of an output, as lines that are safe to show. */
export interface Output {
  readonly lines: readonly string[];
  /** Lines that made room. */
  readonly dropped: number;
  /** The line that is not over, as it came. */
  readonly open: string;
}

/** Nothing yet. */
export const emptyOutput: Output = { lines: [], dropped: 0, open: "" };

const mostLines = 1000;
const longestLine = 4000;

/** Colours and movements of a terminal (ECMA-48 CSI, OSC and two-character sequences): this is none, so they are left out. */
// oxlint-disable-next-line no-control-regex
const sequence = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;

/** Adds output. A carriage return begins its line anew, as a progress bar wants; whatever else is no text is made visible. */
export function addOutput(output: Output, text: string): Output {
  const pieces = `${output.open}${text}`.split("\n");
  const open = (pieces.pop() ?? "").slice(-longestLine);
  const kept = output.open === "" ? output.lines : output.lines.slice(0, -1);
  const lines = [...kept, ...pieces.slice(-mostLines).map(lineOf), ...(open === "" ? [] : [lineOf(open)])];
  const over = Math.max(0, lines.length - mostLines);
  const skipped = Math.max(0, pieces.length - mostLines);
  return { lines: lines.slice(over), dropped: output.dropped + over + skipped, open };
}

function lineOf(raw: string): string {
  const line = raw.slice(0, longestLine).replace(/\r+$/, "");
  const last = line.slice(line.lastIndexOf("\r") + 1);
  return visible(last.replaceAll(sequence, "").replaceAll("\t", "    "));
}
