/** A bracket expression (glob(7)). */
export interface CharSet {
  readonly kind: "set";
  readonly negated: boolean;
  readonly ranges: readonly Range[];
  /** True where a named class is in it: which characters beyond ASCII it holds is up to the locale, so it may hold any of them. */
  readonly beyondAscii: boolean;
}

type Range = readonly [low: number, high: number];

/** The named classes of POSIX, for ASCII. */
const classes: Readonly<Record<string, readonly Range[]>> = {
  alnum: rangesOf("09", "AZ", "az"),
  alpha: rangesOf("AZ", "az"),
  ascii: [[0, 0x7f]],
  blank: rangesOf("  ", "\t\t"),
  cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f],
  ],
  digit: rangesOf("09"),
  graph: rangesOf("!~"),
  lower: rangesOf("az"),
  print: rangesOf(" ~"),
  punct: rangesOf("!/", ":@", "[`", "{~"),
  space: rangesOf("  ", "\t\r"),
  upper: rangesOf("AZ"),
  word: rangesOf("09", "AZ", "az", "__"),
  xdigit: rangesOf("09", "AF", "af"),
};

function rangesOf(...pairs: readonly string[]): Range[] {
  return pairs.map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]);
}

/**
 * Reads the bracket expression that starts at `start` and ends at `end`. Without a `set` nobody can tell what it and the rest of the component
 * stand for. Undefined where it is not closed: then `[` is a plain character.
 */
export function readSet(
  chars: readonly string[],
  start: number,
): { readonly set: CharSet | undefined; readonly end: number } | undefined {
  let at = start + 1;
  const negated = chars[at] === "!" || chars[at] === "^";
  if (negated) at += 1;
  const ranges: Range[] = [];
  let beyondAscii = false;
  let known = true;
  for (let first = true; first || chars[at] !== "]"; first = false) {
    const low = readMember(chars, at);
    if (low === undefined) return undefined;
    at = low.next;
    beyondAscii ||= low.named;
    known &&= low.ranges !== undefined;
    const [point] = low.ranges ?? [];
    const isRange = chars[at] === "-" && chars[at + 1] !== undefined && chars[at + 1] !== "]";
    if (!isRange || point === undefined) {
      ranges.push(...(low.ranges ?? []));
      continue;
    }
    const high = readMember(chars, at + 1);
    if (high === undefined) return undefined;
    at = high.next;
    known &&= high.ranges !== undefined && !low.named && !high.named;
    ranges.push([point[0], high.ranges?.at(-1)?.[1] ?? point[0]]);
  }
  return { set: known ? { kind: "set", negated, ranges, beyondAscii } : undefined, end: at };
}

interface Member {
  /** Undefined where nobody can tell. */
  readonly ranges: readonly Range[] | undefined;
  readonly named: boolean;
  readonly next: number;
}

/** One character of a bracket expression, escaped or not, or one of `[:alpha:]`, `[.a.]` and `[=a=]`. Undefined at the end of the text. */
function readMember(chars: readonly string[], at: number): Member | undefined {
  const mark = chars[at] === "[" ? (chars[at + 1] ?? "") : "";
  if (mark !== "" && ":.=".includes(mark)) {
    const close = chars.findIndex((char, index) => index > at + 1 && char === mark && chars[index + 1] === "]");
    if (close > 0) {
      const name = chars.slice(at + 2, close);
      return { ranges: rangesNamed(mark, name), named: mark === ":", next: close + 2 };
    }
  }
  const escaped = chars[at] === "\\";
  const char = chars[escaped ? at + 1 : at];
  if (char === undefined) return undefined;
  return { ranges: [single(char)], named: false, next: at + (escaped ? 2 : 1) };
}

function rangesNamed(mark: string, name: readonly string[]): readonly Range[] | undefined {
  if (mark === ":") return classes[name.join("")];
  // What else is equivalent is the locale's business; and bash reads on differently behind one.
  if (mark === "=") return undefined;
  const [char, ...more] = name;
  return char === undefined || more.length > 0 ? undefined : [single(char)];
}

function single(char: string): Range {
  const point = char.codePointAt(0) ?? 0;
  return [point, point];
}

/** True where the character may be one of the set. */
export function setHolds(set: CharSet, char: string): boolean {
  const point = char.codePointAt(0) ?? 0;
  if (set.beyondAscii && point > 0x7f) return true;
  return set.ranges.some(([low, high]) => point >= low && point <= high) !== set.negated;
}
