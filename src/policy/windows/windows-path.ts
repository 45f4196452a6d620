/** A Windows path (or a POSIX one, as PowerShell takes it on Linux) in lower case, without dots. `drive` is empty where none is named. */
export interface WindowsPath {
  readonly drive: string;
  readonly parts: readonly string[];
}

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
  "documents and settings",
]);
/** The same for a system that knows no drives. */
const posixRoots: ReadonlySet<string> = new Set([
  "bin",
  "boot",
  "dev",
  "etc",
  "home",
  "lib",
  "lib64",
  "proc",
  "root",
  "run",
  "sbin",
  "sys",
  "usr",
  "var",
  "users",
  "applications",
  "library",
  "system",
]);

/**
 * Reads a path relative to `cwd`: provider prefixes, `\\?\`, both slashes, drive letters, administrative shares, `~`. Undefined where it is
 * relative and the folder is not known.
 */
export function readWindowsPath(
  text: string,
  cwd: WindowsPath | undefined,
  home: WindowsPath,
): WindowsPath | undefined {
  const bare = text
    .trim()
    .replace(/^(?:microsoft\.powershell\.core\\)?filesystem::/i, "")
    .replaceAll("/", "\\")
    .replace(/^\\\\[?.]\\(?:globalroot\\)?/, "")
    .replace(/^unc\\/i, "\\\\")
    .replace(/^\\\\[^\\]+\\([a-z])\$(?=\\|$)/i, "$1:");
  const tilde = /^~(?=\\|$)(.*)$/s.exec(bare);
  if (tilde?.[1] !== undefined) return joined(home, tilde[1]);
  const drive = /^([a-z]):(.*)$/is.exec(bare);
  // `C:` alone means the folder where that drive was left: it may be its root.
  if (drive?.[1] !== undefined) return joined({ drive: drive[1].toLowerCase(), parts: [] }, drive[2] ?? "");
  if (bare.startsWith("\\")) return joined({ drive: cwd?.drive ?? "", parts: [] }, bare);
  return cwd === undefined ? undefined : joined(cwd, bare);
}

function joined(base: WindowsPath, rest: string): WindowsPath {
  const parts = [...base.parts];
  for (const part of rest.toLowerCase().split("\\")) {
    // Windows drops dots and blanks at the end of a name.
    const name = part === "." || part === ".." ? part : part.replace(/[. ]+$/, "");
    if (name === "..") parts.pop();
    else if (name !== "" && name !== ".") parts.push(name);
  }
  return { drive: base.drive, parts };
}

/**
 * True where deleting the path with everything below takes a drive, the system, the users' folder or a home; also for a pattern that means
 * everything in such a folder or that matches one.
 */
export function isProtectedWindows(path: WindowsPath, home: WindowsPath, wildcards = true): boolean {
  const last = wildcards ? path.parts.findLastIndex((part) => !matchesAll(part)) : path.parts.length - 1;
  const parts = path.parts.slice(0, last + 1);
  if (isProtectedPlain({ ...path, parts }, home)) return true;
  return (
    wildcards &&
    parts.some((part) => /[*?[]/.test(part)) &&
    candidates(home).some((candidate) => matchesParts(parts, candidate))
  );
}

function isProtectedPlain({ drive, parts }: WindowsPath, home: WindowsPath): boolean {
  const [first, second] = parts;
  if (first === undefined) return true;
  if (parts.length === 1 && (windowsRoots.has(first) || (drive === "" && posixRoots.has(first)))) return true;
  if (
    parts.length === 2 &&
    (first === "users" || first === "documents and settings" || (drive === "" && first === "home"))
  )
    return true;
  if (parts.length === 2 && first === "windows" && /^(system32|syswow64|system)$/.test(second ?? "")) return true;
  return (
    parts.length <= home.parts.length &&
    (drive === home.drive || drive === "") &&
    parts.every((part, index) => part === home.parts[index])
  );
}

function candidates(home: WindowsPath): readonly (readonly string[])[] {
  return [
    ...[...windowsRoots].map((root) => [root]),
    ["windows", "system32"],
    ["users", home.parts.at(-1) ?? ""],
    home.parts,
  ];
}

/** A last component that matches nearly every name: `*`, `*.*`, `?*`, `[a-z]*`. */
function matchesAll(part: string): boolean {
  return /[*?[]/.test(part) && /^([*?]|\[[^\]]*\]|\.)+$/.test(part) && (part.includes("*") || /^\?+$/.test(part));
}

function matchesParts(pattern: readonly string[], parts: readonly string[]): boolean {
  return pattern.length === parts.length && pattern.every((part, index) => matchesPart(part, parts[index] ?? ""));
}

function matchesPart(pattern: string, text: string): boolean {
  const source = pattern.replace(/\*+/g, "*").replace(/\[[^\]]*\]|[\\^$.|+(){}[\]]|\*|\?/g, (token) => {
    if (token === "*") return ".*";
    if (token === "?") return ".";
    return token.length > 1 && token.startsWith("[")
      ? `[${token.slice(1, -1).replace(/[\\\]^]/g, "\\$&")}]`
      : `\\${token}`;
  });
  return new RegExp(`^${source}$`).test(text);
}

/** What variables mean that every Windows session has, and `HOME` of PowerShell. Names in lower case. Undefined: not known. */
export function knownVariable(name: string, home: string): string | undefined {
  const drive = /^[a-z]:/i.exec(home)?.[0] ?? "C:";
  const rest = home.replace(/^[a-z]:/i, "");
  switch (name) {
    case "home":
    case "userprofile":
      return home;
    case "homedrive":
    case "systemdrive":
      return drive;
    case "homepath":
      return rest;
    case "windir":
    case "systemroot":
      return `${drive}\\Windows`;
    case "programfiles":
    case "programw6432":
      return `${drive}\\Program Files`;
    case "programfiles(x86)":
      return `${drive}\\Program Files (x86)`;
    case "comspec":
      return `${drive}\\Windows\\System32\\cmd.exe`;
    case "programdata":
    case "allusersprofile":
      return `${drive}\\ProgramData`;
    case "public":
      return `${drive}\\Users\\Public`;
    case "appdata":
      return `${home}\\AppData\\Roaming`;
    case "localappdata":
      return `${home}\\AppData\\Local`;
    default:
      return undefined;
  }
}
