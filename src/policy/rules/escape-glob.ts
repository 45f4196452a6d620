/** Puts a backslash before every character that a file pattern gives a meaning to. */
export function escapeGlob(path: string): string {
  return path.replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`);
}
