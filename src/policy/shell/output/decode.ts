import type { Word } from "../simple-command.ts";
import type { Output } from "../walk/outcome.ts";
import { scriptText } from "../walk/script-text.ts";

/** What a decoder makes of a known input. Always a guess: encoded text that is run is never plain. */
export function decodeInput(name: string, words: readonly Word[], input: Output | undefined): Output | undefined {
  if (input === undefined) return undefined;
  const options = words.map(scriptText);
  const text = decoded(name, options, input.text);
  return text === undefined ? undefined : { text, sure: false };
}

function decoded(name: string, options: readonly string[], text: string): string | undefined {
  switch (name) {
    case "base64":
      return options.some((option) => /^(-\w*[dD]\w*|--d\w*)$/.test(option)) ? fromBase64(text) : undefined;
    case "openssl":
      return options.some((option) => /^-?base64$|^-a$/.test(option)) && options.includes("-d")
        ? fromBase64(text)
        : undefined;
    case "xxd": {
      const letters = options.join("");
      return letters.includes("r") && letters.includes("p") ? fromHex(text) : undefined;
    }
    default:
      return undefined;
  }
}

function fromBase64(text: string): string {
  const clean = text.replace(/[^A-Za-z0-9+/=]/g, "");
  return fromBytes(Uint8Array.from(atobSafe(clean), (character) => character.charCodeAt(0)));
}

function fromHex(text: string): string {
  const digits = text.replace(/[^0-9a-fA-F]/g, "");
  return fromBytes(Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
}

function fromBytes(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function atobSafe(text: string): string {
  try {
    return atob(text.replace(/(?<!=)=+$/, ""));
  } catch {
    return "";
  }
}
