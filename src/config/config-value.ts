import type { ConfigFault } from "./config-fault.ts";

/** Where a value stands: keys and indexes from the top. */
export type ConfigPath = readonly (string | number)[];

/** A value from outside, and where each part of it stands. */
export interface ConfigValue {
  readonly value: unknown;
  /** The fault at a path; `key` points at the key instead of its value. A path that is not there gives its nearest part that is. */
  fault(path: ConfigPath, message: string, key?: string): ConfigFault;
}

/** `rules[2].effect`. */
export function pathText(path: ConfigPath): string {
  return path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
    "",
  );
}

/** Longest text of a key, or of a field, that is shown. */
const maxShown = 200;

/** The path of a fault, or of the key of it; cut where somebody made it endless. */
export function fieldText(path: ConfigPath, key?: string): string {
  return cut(pathText(key === undefined ? path : [...path, key]));
}

/** A key in quotes; cut where somebody made it endless. */
export function shownKey(key: string): string {
  return JSON.stringify(cut(key));
}

function cut(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
