import type { WindowsPath } from "./windows-path.ts";

/** Folders at the top of a drive without which Windows or its users lose what they have. */
const windowsRoots: ReadonlySet<string> = new Set([
  "users",
  "windows",
  "winnt",
  "program files",
  "program files (x86)",
  "progra~1",
  "progra~2",
  "programdata",
  "progra~3",
  "documents and settings",
  "docume~1",
  "boot",
  "efi",
  "recovery",
]);
/** The same for a system that knows no drives. */
const posixRoots: ReadonlySet<string> = new Set(
  "bin boot dev etc home lib lib64 proc root run sbin sys usr var users applications library system volumes private".split(
    " ",
  ),
);
const posixFolders = /^(usr\/(bin|lib|lib64|sbin|local|share)|var\/lib|private\/(etc|var))$/;
/** Folders inside Windows that are as good as all of it. */
const systemFolders = /^(system32|syswow64|system|winsxs|boot)$/;

/**
 * True where deleting the path with everything below takes a drive, the system, the users' folder or a home; also for a pattern that means
 * everything in such a folder or that matches one. `homes` are the homes of the commands' user.
 */
export function isProtectedWindows(path: WindowsPath, homes: readonly WindowsPath[], wildcards = true): boolean {
  const all = path.parts.map((part) => part.toLowerCase());
  const last = wildcards ? all.findLastIndex((part) => !matchesAll(part)) : all.length - 1;
  const parts = all.slice(0, last + 1);
  if (isProtectedPlain({ ...path, parts }, homes)) return true;
  return (
    wildcards &&
    parts.some((part) => /[*?[]/.test(part)) &&
    candidates(homes).some((candidate) => matchesParts(parts, candidate))
  );
}

function isProtectedPlain({ drive, parts }: WindowsPath, homes: readonly WindowsPath[]): boolean {
  const [first, second] = parts;
  if (first === undefined) return true;
  if (drive.startsWith("\\\\")) return false;
  if (parts.length === 1 && (windowsRoots.has(first) || (drive === "" && posixRoots.has(first)))) return true;
  if (drive === "" && posixFolders.test(parts.join("/"))) return true;
  if (
    parts.length === 2 &&
    (first === "users" || first.startsWith("docume") || (drive === "" && first === "home")) &&
    second !== "public"
  )
    return true;
  if (parts.length === 2 && first === "windows" && systemFolders.test(second ?? "")) return true;
  return homes.some(
    (home) =>
      parts.length <= home.parts.length &&
      (drive === home.drive || drive === "" || drive === "?:") &&
      parts.every((part, index) => part === home.parts[index]?.toLowerCase()),
  );
}

function candidates(homes: readonly WindowsPath[]): readonly (readonly string[])[] {
  return [
    ...[...windowsRoots].map((root) => [root]),
    ["windows", "system32"],
    ...homes.flatMap((home) => [
      ["users", home.parts.at(-1)?.toLowerCase() ?? ""],
      home.parts.map((part) => part.toLowerCase()),
    ]),
  ];
}

/** A component that matches nearly every name: `*`, `*.*`, `?*`, `[a-z]*`. */
function matchesAll(part: string): boolean {
  return /[*?[]/.test(part) && /^([*?]|\[[^\]]*\]|\.)+$/.test(part) && (part.includes("*") || /^\?+$/.test(part));
}

function matchesParts(pattern: readonly string[], parts: readonly string[]): boolean {
  return pattern.length === parts.length && pattern.every((part, index) => matchesPart(part, parts[index] ?? ""));
}

/** Stars and question marks as both shells take them; a class may be any character. Linear: two cursors, the last star is enough. */
function matchesPart(pattern: string, text: string): boolean {
  const tokens = pattern.match(/\[[^\]]*\]|\*|\?|[^]/g) ?? [];
  let at = 0;
  let token = 0;
  let star = -1;
  let mark = 0;
  while (at < text.length) {
    const next = tokens[token];
    if (next === "*") {
      star = token;
      mark = at;
      token += 1;
    } else if (next !== undefined && matchesOne(next, text.charAt(at))) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      token = star + 1;
      mark += 1;
      at = mark;
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === "*");
}

function matchesOne(token: string, character: string): boolean {
  if (token === "?") return true;
  if (!token.startsWith("[") || token.length === 1) return token === character;
  const inside = token.slice(1, -1);
  for (let at = 0; at < inside.length; at += 1) {
    if (inside.charAt(at + 1) === "-" && at + 2 < inside.length) {
      if (inside.charAt(at) <= character && character <= inside.charAt(at + 2)) return true;
      at += 2;
    } else if (inside.charAt(at) === character) return true;
  }
  return false;
}
