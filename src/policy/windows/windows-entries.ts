import { exhausted } from "../../model/exhausted.ts";
import type { BlocklistEntry, Example } from "../blocklist/entry.ts";

/** The names of the entries for PowerShell and cmd. */
export type WindowsEntryId = "windows-elevation" | "windows-recursive-delete" | "windows-format";

function powershell(...texts: readonly string[]): Example[] {
  return texts.map((text) => ({ shell: "powershell", text }));
}

function cmd(...texts: readonly string[]): Example[] {
  return texts.map((text) => ({ shell: "cmd", text }));
}

const elevation: BlocklistEntry = {
  id: "windows-elevation",
  because: "it runs commands with the rights of another account",
  match: ["sudo", "sudo *"],
  hits: [...powershell("sudo netsh", "& 'sudo.exe' id"), ...cmd("sudo net user", "dir & su^do id")],
  misses: [...powershell("Get-Command sudo", "Write-Host 'sudo x'"), ...cmd("echo sudo x", "rem sudo")],
  forbids: undefined,
};

const recursiveDelete: BlocklistEntry = {
  id: "windows-recursive-delete",
  because: "it deletes a drive, the system, a home, or a folder that holds one, with everything in it",
  match: ["Remove-Item -Recurse C:\\", "rd /s C:\\", "del /s C:\\*"],
  hits: [
    ...powershell(
      "Remove-Item -Recurse -Force C:\\",
      "ri ~ -r",
      "Set-Location C:\\; del * -rec",
      "gci C:\\ -Recurse | ri -Force -Recurse",
    ),
    ...cmd("rd /s /q C:\\", "r^d/s %USERPROFILE%", "cd /d C:\\ & rd /s .", "del /f /s /q C:\\*"),
  ],
  misses: [
    ...powershell("Remove-Item -Recurse .\\build", "Get-ChildItem C:\\ -Recurse", "Remove-Item C:\\x.txt"),
    ...cmd("rd /s /q C:\\Temp\\x", "dir /s C:\\", "echo rd /s C:\\"),
  ],
  forbids: undefined,
};

const format: BlocklistEntry = {
  id: "windows-format",
  because: "it makes a new file system over what a disk holds",
  match: ["format C:", "Format-Volume *", "Clear-Disk *"],
  hits: [
    ...powershell("Format-Volume -DriveLetter D", "Clear-Disk 0 -RemoveData"),
    ...cmd("format C: /q", "format.com d:"),
  ],
  misses: [...powershell("Get-Process | Format-Table", "Get-Volume"), ...cmd("echo format C:", "format-code x")],
  forbids: undefined,
};

/** The blocklist for PowerShell and cmd: what analyseWindows looks for. */
export const windowsEntries: readonly BlocklistEntry[] = [elevation, recursiveDelete, format];

/** The entry of that name. */
export function windowsEntry(id: WindowsEntryId): BlocklistEntry {
  switch (id) {
    case "windows-elevation":
      return elevation;
    case "windows-recursive-delete":
      return recursiveDelete;
    case "windows-format":
      return format;
    default:
      return exhausted(id);
  }
}
