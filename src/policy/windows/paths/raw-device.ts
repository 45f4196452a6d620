/**
 * True where a path names a disk or a volume itself, below its file system: `\\.\PhysicalDrive0`, `\\.\C:`, `\\?\Volume{…}`
 * (Win32 device namespaces). `\\.\C:\x` is an ordinary file.
 */
export function isRawDevice(text: string): boolean {
  const bare = text
    .trim()
    .replace(/^(?:microsoft\.powershell\.core\\)?filesystem::/i, "")
    .replaceAll("/", "\\");
  const device = /^\\\\[?.]\\(?:globalroot\\)?(?:device\\)?(.+)$/i.exec(bare)?.[1];
  return (
    device !== undefined &&
    /^(?:physicaldrive[\d*?]+|[a-z]:|volume\{[^}]*\}|harddisk\w*(?:\\(?:dr|partition)\d+)?|harddiskvolume\d+|cdrom\d+)$/i.test(
      device,
    )
  );
}
