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
