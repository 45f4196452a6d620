import { parseAbsolutePath, type AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { Facts } from "../../../src/model/facts.ts";
import type { ShellWorld } from "../../../src/policy/shell/shell-analysis.ts";

/** Parses a path that the test knows to be good. */
export function path(text: string): AbsolutePath {
  const found = parseAbsolutePath(text);
  if (found === undefined) throw new Error(`bad path in a test: ${text}`);
  return found;
}

const home = path("/home/u");

/** The world of the corpus: no links, user u with home /home/u, root's home /root. */
export const corpusFacts: Facts = {
  locate: (at) => ({ real: at, kind: "missing" }),
  entries: () => [],
  homes: [home],
  home,
  user: "u",
  homeOf: (user) => (user === "root" ? path("/root") : user === "u" ? home : undefined),
  internalHost: () => undefined,
  own: [],
};

/** The granted folder of the corpus. */
export const corpusWorld: ShellWorld = { cwd: path("/work"), facts: corpusFacts };
