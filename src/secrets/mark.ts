/** What stands in place of a secret. No shape takes it for a secret. */
export function mark(id: string): string {
  return `[redacted:${id}]`;
}
