import { decodeEscapes } from "./escapes.ts";

/** What bash's echo prints. */
export function echoText(words: readonly string[]): string {
  let newline = true;
  let escapes = false;
  let at = 0;
  for (; /^-[neE]+$/.test(words[at] ?? ""); at += 1) {
    const option = words[at] ?? "";
    if (option.includes("n")) newline = false;
    if (/[eE]/.test(option)) escapes = option.lastIndexOf("e") > option.lastIndexOf("E");
  }
  const text = words.slice(at).join(" ");
  return (escapes ? decodeEscapes(text, true) : text) + (newline ? "\n" : "");
}
