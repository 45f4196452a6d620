const escaped = /\\u\{([0-9a-f]{1,6})\}/gi;

/** Reads back what `show` made visible: the text as it was, hidden characters included. What names no character stays as it is. */
export function unshow(text: string): string {
  return text.replace(escaped, (found, digits: string) => {
    const code = Number.parseInt(digits, 16);
    return code > 0x10_ff_ff ? found : String.fromCodePoint(code);
  });
}
