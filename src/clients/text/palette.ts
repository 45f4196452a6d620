import { styleText } from "node:util";

/** Colours for one stream; each function returns its text as it is where colour is off. */
export interface Palette {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  /** For a part of a text that is meant. */
  readonly mark: (text: string) => string;
  /** For a mark that must not be missed. */
  readonly alarm: (text: string) => string;
}

/** Colour only on a terminal, and never where `NO_COLOR` is set (no-color.org) or the terminal is `dumb`. */
export function palette(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): Palette {
  const noColor = env["NO_COLOR"];
  const on = stream.isTTY === true && (noColor === undefined || noColor === "") && env["TERM"] !== "dumb";
  const paint = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    on ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    yellow: paint("yellow"),
    green: paint("green"),
    mark: paint(["underline", "yellow"]),
    alarm: paint(["bold", "inverse", "yellow"]),
  };
}
