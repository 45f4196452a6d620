import { visible } from "../text/visible.ts";

/** What to say to somebody who gave a whole command line as one word: it is taken for the name of a program, and is hardly one. Empty where nothing is to be said. */
export function textHint(words: readonly string[]): string[] {
  const [only = ""] = words;
  if (words.length !== 1 || !/[\s;|&<>$`]/.test(only.trim())) return [];
  const quoted = `'${only.replaceAll("'", String.raw`'\''`)}'`;
  return [
    `sallyport: ${visible(quoted)} is taken for the name of one program; as shell text it runs with sallyport exec -c ${visible(quoted)}`,
  ];
}
