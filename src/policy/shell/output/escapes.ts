const simple: ReadonlyMap<string, string> = new Map([
  ["a", "\x07"],
  ["b", "\b"],
  ["e", "\x1b"],
  ["E", "\x1b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["?", "?"],
]);

/** Decodes backslash escapes as bash's echo -e and printf do. `zero`: octal numbers take a leading 0 besides. `\c` ends the text. */
export function decodeEscapes(text: string, zero: boolean): string {
  const [before = ""] = text.split(/(?<=(?:^|[^\\])(?:\\\\)*)\\c/, 1);
  return before.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|(0?[0-7]{1,3})|([\s\S]))/g,
    (all, hex, short, long, octal, letter) => {
      const digits: unknown = hex ?? short ?? long;
      if (typeof digits === "string") return fromCode(Number.parseInt(digits, 16), all);
      if (typeof octal === "string")
        return fromCode(Number.parseInt(zero ? octal : octal.slice(0, 3), 8), all) + (zero ? "" : octal.slice(3));
      return typeof letter === "string" ? (simple.get(letter) ?? all) : all;
    },
  );
}

function fromCode(code: number, otherwise: string): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : otherwise;
}
