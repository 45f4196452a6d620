import type { BlocklistEntry, Example } from "../blocklist/entry.ts";

function powershell(...texts: readonly string[]): Example[] {
  return texts.map((text) => ({ shell: "powershell", text }));
}

function cmd(...texts: readonly string[]): Example[] {
  return texts.map((text) => ({ shell: "cmd", text }));
}

/** What is forbidden in PowerShell and cmd, by name. */
const entries = {
  "windows-elevation": {
    because: "it runs commands with the rights of another account",
    match: ["sudo *", "runas *", "Start-Process -Verb RunAs *", "psexec -s *", "wsl -u root *"],
    hits: [
      ...powershell("sudo netsh", "& 'sudo.exe' id", "saps cmd -Ve RunAs", "wsl -u root id", "gsudo dir"),
      ...cmd("sudo net user", "dir & su^do id", "runas /user:Administrator cmd", "psexec -s cmd"),
    ],
    misses: [
      ...powershell("Get-Command sudo", "Write-Host 'sudo x'", "Start-Process notepad -Verb Open"),
      ...cmd("echo sudo x", "rem sudo", "runas /?", "findstr runas x.txt"),
    ],
  },
  "windows-recursive-delete": {
    because: "it deletes a drive, the system, a home, or a folder that holds one, with everything in it",
    match: ["Remove-Item -Recurse C:\\", "rd /s C:\\", "del /s C:\\*", "robocopy x C:\\ /mir"],
    hits: [
      ...powershell(
        "Remove-Item -Recurse -Force C:\\",
        "ri ~ -r",
        "Set-Location C:\\; del * -rec",
        "gci C:\\ -Recurse | ri -Force -Recurse",
        "[IO.Directory]::Delete('C:\\', $true)",
        "Set-Alias x Remove-Item; x -r -fo C:\\",
      ),
      ...cmd(
        "rd /s /q C:\\",
        "r^d/s %USERPROFILE%",
        "cd /d C:\\ & rd /s .",
        "del /f /s /q C:\\*",
        "set x=rd & call %x% /s /q C:\\",
      ),
    ],
    misses: [
      ...powershell("Remove-Item -Recurse .\\build", "Get-ChildItem C:\\ -Recurse", "Remove-Item C:\\x.txt"),
      ...cmd("rd /s /q C:\\Temp\\x", "dir /s C:\\", "echo rd /s C:\\", 'git commit -m "rd /s /q C:\\"'),
    ],
  },
  "windows-format": {
    because: "it makes a new file system over what a disk holds",
    match: ["format C:", "Format-Volume *", "Clear-Disk *", "Initialize-Disk *", "diskpart *"],
    hits: [
      ...powershell("Format-Volume -DriveLetter D", "Clear-Disk 0 -RemoveData", "Initialize-Disk 1"),
      ...cmd("format C: /q", "format.com d:", "diskpart /s x.txt"),
    ],
    misses: [
      ...powershell("Get-Process | Format-Table", "Get-Volume", "Get-Disk"),
      ...cmd("echo format C:", "format-code x", "diskpart /?"),
    ],
  },
  "windows-device": {
    because: "it writes over a disk, below its file system",
    match: ["* > \\\\.\\PhysicalDrive0", "copy x \\\\.\\C:"],
    hits: [
      ...powershell("Clear-Content \\\\.\\PhysicalDrive0", "'x' > \\\\.\\PhysicalDrive0"),
      ...cmd("copy x \\\\.\\PhysicalDrive0", "type x > \\\\.\\C:"),
    ],
    misses: [...powershell("Get-Content \\\\.\\PhysicalDrive0"), ...cmd("dir \\\\.\\C:\\x", "echo x > nul")],
  },
  "windows-registry": {
    because: "it deletes settings of the machine or of a user with everything below them",
    match: ["Remove-Item -Recurse HKLM:\\SOFTWARE", "reg delete HKLM\\SYSTEM"],
    hits: [...powershell("ri HKLM:\\SOFTWARE -r", "reg delete HKLM /f"), ...cmd("reg delete HKLM\\SYSTEM /f")],
    misses: [
      ...powershell("Remove-Item HKCU:\\Software\\Mine\\App -Recurse", "Remove-ItemProperty -Path HKCU:\\X -Name y"),
      ...cmd("reg delete HKCU\\Software\\Mine\\App /f", "reg query HKLM"),
    ],
  },
  "windows-fork-bomb": {
    because: "it starts itself without end until the machine stops",
    match: ["%0|%0", "function f { f | f }; f"],
    hits: [...powershell("function f { f | f }; f", "while ($true) { Start-Process powershell }"), ...cmd("%0|%0")],
    misses: [...powershell("function f { ls | sort }; f", "while ($true) { Start-Sleep 1 }"), ...cmd("echo %0")],
  },
} satisfies Record<string, Pick<BlocklistEntry, "because" | "match" | "hits" | "misses">>;

/** The names of the entries for PowerShell and cmd. */
export type WindowsEntryId = keyof typeof entries;

/** The entry of that name. */
export function windowsEntry(id: WindowsEntryId): BlocklistEntry {
  return { id, ...entries[id], forbids: undefined };
}

/** The blocklist for PowerShell and cmd: what analyseWindows looks for. */
export const windowsEntries: readonly BlocklistEntry[] = [
  windowsEntry("windows-elevation"),
  windowsEntry("windows-recursive-delete"),
  windowsEntry("windows-format"),
  windowsEntry("windows-device"),
  windowsEntry("windows-registry"),
  windowsEntry("windows-fork-bomb"),
];
