import { parseAbsolutePath, type AbsolutePath } from "../../../model/absolute-path.ts";
import { escapeGlob } from "../../rules/escape-glob.ts";
import { isBelow, type WindowsPath } from "./windows-path.ts";

/** Where a Windows path lies for scopes and rules, whose paths begin with `/`. */
interface PosixWorld {
  /** The home as Windows' shells are told. */
  readonly home: WindowsPath;
  /** The same home as rules spell it. */
  readonly homePath: AbsolutePath;
}

/**
 * A Windows path as rules spell it: the home is the home, `C:\x` is `/C:/x` (as in file URIs, RFC 8089), a share `/UNC/server/share`, and a path without
 * a drive stays. Undefined where it is too long.
 */
export function posixPath(path: WindowsPath, { home, homePath }: PosixWorld): AbsolutePath | undefined {
  return parseAbsolutePath(spelled(path, home, homePath, (part) => part));
}

/** What of a path is live. */
interface Liveness {
  readonly wildcards: boolean;
  readonly classes: boolean;
  /** With all below. */
  readonly tree: boolean;
}

/** The same as a pattern of rules. */
export function posixPattern(
  path: WindowsPath,
  { home, homePath }: PosixWorld,
  live: Liveness,
): AbsolutePath | undefined {
  const part = (name: string): string => {
    // To Windows `*.*` is every name, also one without a dot.
    if (live.wildcards && name === "*.*") return "*";
    const dead = live.wildcards ? (live.classes ? /[{}\\]/g : /[{}[\]\\]/g) : /[*?{}[\]\\]/g;
    return name.replace(dead, escapeGlob);
  };
  const text = spelled(path, home, escapeGlob(homePath), part);
  return parseAbsolutePath(live.tree ? `${text}/**` : text);
}

function spelled(path: WindowsPath, home: WindowsPath, homePath: string, part: (name: string) => string): string {
  if (path.drive !== "" && isBelow(path, home))
    return [homePath, ...path.parts.slice(home.parts.length).map(part)].join("/");
  const top =
    path.drive === ""
      ? ""
      : path.drive.startsWith("\\\\")
        ? `/UNC${path.drive.slice(1).replaceAll("\\", "/")}`
        : `/${path.drive.toUpperCase()}`;
  return `${top}/${path.parts.map(part).join("/")}`;
}
