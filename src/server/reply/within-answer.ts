/** Bytes of one answer: below the 4 MiB that clients take by default. */
export const maxAnswerBytes = 4 * 1024 * 1024 - 64 * 1024;

/** The first items whose sizes, each an upper bound in bytes, stay within one answer together. */
export function withinAnswer<T>(items: readonly T[], sizeOf: (item: T) => number): readonly T[] {
  let left = maxAnswerBytes;
  const end = items.findIndex((item) => {
    left -= sizeOf(item);
    return left < 0;
  });
  return end === -1 ? items : items.slice(0, end);
}
