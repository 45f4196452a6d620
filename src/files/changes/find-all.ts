/**
 * Where a text is in another, from left to right and without overlaps, `most` places at most. In time that grows with their lengths alone (Knuth, Morris and Pratt, 1977):
 * `indexOf` takes the product for a long text that is hard to tell from its surroundings.
 */
export function findAll(text: string, wanted: string, most: number): number[] {
  const found: number[] = [];
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < text.length && found.length < most; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === unit) matched += 1;
    if (matched < wanted.length) continue;
    found.push(at - wanted.length + 1);
    matched = 0;
  }
  return found;
}

/** For each beginning of the text the length of its longest proper beginning that is its end as well. */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length);
  let length = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    const unit = wanted.charCodeAt(at);
    while (length > 0 && wanted.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0;
    if (wanted.charCodeAt(length) === unit) length += 1;
    borders[at] = length;
  }
  return borders;
}
