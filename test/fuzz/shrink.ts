/** The shortest text that is found in a bounded number of tries to be as bad as the given one, by leaving pieces out. */
export function shrink(text: string, isBad: (text: string) => boolean, tries = 400): string {
  let shortest = text;
  let left = tries;
  for (let size = Math.ceil(shortest.length / 2); size >= 1 && left > 0; size = Math.floor(size / 2)) {
    for (let from = 0; from < shortest.length && left > 0;) {
      const shorter = shortest.slice(0, from) + shortest.slice(from + size);
      left -= 1;
      if (isBad(shorter)) shortest = shorter;
      else from += size;
    }
  }
  return shortest;
}
