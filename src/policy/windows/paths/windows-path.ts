/** A Windows path (or a POSIX one, as PowerShell takes it on Linux) without dots, names as they were written. */
export interface WindowsPath {
  /** `c:` in lower case, `\\server\share`, or empty where none is named. */
  readonly drive: string;
  readonly parts: readonly string[];
}

/** The root of whatever drive is current. */
export const nowhere: WindowsPath = { drive: "", parts: [] };

const provider = /^(?:microsoft\.powershell\.core\\)?filesystem::/i;
/** Another provider's path, or a drive of PowerShell's own (about_Providers). */
const elsewhere = /^(?:[\w.\\-]+::|[a-z_][\w.-]+:)/i;
const volume = /^volume\{[^}\\]*\}(?=\\|$)/i;

/**
 * Reads a path relative to `cwd`: provider prefixes, `\\?\`, both slashes, drive letters, administrative shares, `~`. Undefined where it is
 * relative and the folder is not known, or names no file (a registry key, a variable).
 */
export function readWindowsPath(
  text: string,
  cwd: WindowsPath | undefined,
  home: WindowsPath,
): WindowsPath | undefined {
  const slashes = text.trim().replace(provider, "").replaceAll("/", "\\");
  const bare = slashes
    .replace(/^\\\\[?.]\\(?:globalroot\\)?/i, "")
    .replace(/^unc\\/i, "\\\\")
    .replace(/^\\{2,}[^\\]+\\([a-z])\$(?=\\|$)/i, "$1:")
    .replace(/^\\{2,}[^\\]+\\admin\$(?=\\|$)/i, "c:\\windows")
    // A volume by its name is some drive: which one does not matter for what is at its top.
    .replace(volume, "?:")
    .replace(/^(?:device\\)?harddisk\w*(?:\\partition\d+)?(?=\\|$)/i, (found) =>
      slashes.startsWith("\\\\") ? "?:" : found,
    );
  const tilde = /^~(?=\\|$)(.*)$/s.exec(bare);
  if (tilde?.[1] !== undefined) return joined(home, tilde[1]);
  const drive = /^([a-z?]):(.*)$/is.exec(bare);
  if (drive?.[1] !== undefined) return onDrive(`${drive[1].toLowerCase()}:`, drive[2] ?? "", cwd);
  if (elsewhere.test(bare)) return undefined;
  const share = /^\\\\([^\\]+)\\([^\\]+)(.*)$/s.exec(bare);
  if (share !== null) return joined({ drive: `\\\\${share[1] ?? ""}\\${share[2] ?? ""}`, parts: [] }, share[3] ?? "");
  if (bare.startsWith("\\")) return joined({ drive: cwd?.drive ?? "", parts: [] }, bare);
  return cwd === undefined ? undefined : joined(cwd, bare);
}

/** `C:x` is relative to the folder where that drive was left; `C:` alone may be its root. */
function onDrive(drive: string, rest: string, cwd: WindowsPath | undefined): WindowsPath {
  const relative = rest !== "" && !rest.startsWith("\\") && cwd?.drive === drive;
  return joined(relative ? cwd : { drive, parts: [] }, rest);
}

function joined(base: WindowsPath, rest: string): WindowsPath {
  const parts = [...base.parts];
  for (const part of rest.split("\\")) {
    // Windows drops dots and blanks at the end of a name, and a stream is a part of its file.
    const name = /^\.{1,2}$/.test(part) ? part : part.replace(/(?<=.):.*$/, "").replace(/(?<![. ])[. ]+$/, "");
    if (name === "..") parts.pop();
    else if (name !== "" && name !== ".") parts.push(name);
  }
  return { drive: base.drive, parts };
}

/** True where `path` is `folder` or lies in it, whatever the case. */
export function isBelow(path: WindowsPath, folder: WindowsPath): boolean {
  return (
    path.drive === folder.drive &&
    folder.parts.every((part, index) => part.toLowerCase() === path.parts[index]?.toLowerCase())
  );
}

/** The path as PowerShell shows it. */
export function windowsText({ drive, parts }: WindowsPath): string {
  return `${drive}\\${parts.join("\\")}`;
}
