/** Programs of the blocklist, and ways to them, that are looked for where a command is hidden behind a pattern or too many wrappers. */
export const fearedPrograms: readonly string[] = [
  "sudo",
  "sudoedit",
  "doas",
  "su",
  "pkexec",
  "run0",
  "rm",
  "find",
  "dd",
  "mkfs",
  "sh",
  "bash",
  "env",
  "busybox",
];
