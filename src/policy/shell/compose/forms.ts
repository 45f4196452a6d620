import type { Word } from "../simple-command.ts";
import { commandText } from "./command-text.ts";

/** The wrappers around a command as canonical texts, with a short key that tells them apart. */
export interface Forms {
  readonly key: string;
  readonly texts: readonly string[];
}

/**
 * Reads the wrappers around commands. All commands of one inline text have the same ones, which may be as long as the text itself: each is read once, and the same wrappers
 * give the same object.
 */
export class FormReader {
  readonly #ids = new Map<readonly Word[], number>();
  readonly #idOfText = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #known = new Map<string, Forms>();

  read(wrappers: readonly (readonly Word[])[]): Forms {
    const ids = [...new Set(wrappers.map((wrapper) => this.#idOf(wrapper)))];
    const key = ids.join(" ");
    const known = this.#known.get(key) ?? { key, texts: ids.map((id) => this.#texts[id] ?? "") };
    this.#known.set(key, known);
    return known;
  }

  #idOf(wrapper: readonly Word[]): number {
    const known = this.#ids.get(wrapper);
    if (known !== undefined) return known;
    const text = commandText(wrapper);
    const id = this.#idOfText.get(text) ?? this.#texts.push(text) - 1;
    this.#idOfText.set(text, id);
    this.#ids.set(wrapper, id);
    return id;
  }
}
