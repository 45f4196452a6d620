import { type AbsolutePath, baseName, rootPath, resolvePath } from "../model/absolute-path.ts";
import type { Facts } from "../model/facts.ts";
import { canonicalHost } from "./canonical-host.ts";

/** The world that a text describes. */
export interface DescribedWorld {
  readonly home: AbsolutePath;
  /** Undefined: the last component of the home folder. */
  readonly user?: string | undefined;
  /** Who knows the address guard says what it would refuse; without it only plain cases are known. */
  readonly internalHost?: Facts["internalHost"];
}

/**
 * Facts that look at nothing: every path is what it says, every folder is there. Two machines give the same answer, which is what checks of rules need; what
 * symbolic links change is seen only where the request is made.
 */
export function textFacts({ home, user, internalHost }: DescribedWorld): Facts {
  const name = user ?? baseName(home);
  return {
    locate: (path) => ({ real: path, kind: "folder" }),
    entries: () => [],
    homes: [home],
    home,
    user: name,
    homeOf: (other) => (other === name ? home : other === "root" ? resolvePath(rootPath, "root") : undefined),
    internalHost: internalHost ?? internalName,
    own: [],
  };
}

/** Names and address literals that are never public; the egress room knows every range. */
function internalName(text: string): string | undefined {
  const host = canonicalHost(text) ?? text;
  if (host === "localhost" || /\.(localhost|local|internal)$/.test(host)) return "a name of this machine or network";
  const [a = 0, b = 0] = /^\d+(\.\d+){3}$/.test(host) ? host.split(".").map(Number) : [1];
  const v4 =
    a === 0 || a === 10 || a === 127 || a >= 224 || (a === 100 && b >= 64 && b < 128) || (a === 169 && b === 254);
  if (v4 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168)) return "an address that is not public";
  return host.includes(":") && !/^[23]/.test(host) ? "an address that is not public" : undefined;
}
