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

/** A bracket expression that was read, and where it ends. Without a `set` nobody can tell what it and the rest of the component stand for. */
interface FoundSet {
  readonly set: CharSet | undefined;
  readonly end: number;
}

/**
 * Reads the bracket expressions of one text, each by where it starts. Undefined where one is not closed: then `[` is a plain character. What was seen on the way is
 * kept: a text of many brackets that nothing closes takes no longer than any other.
 */
export function setReader(chars: readonly string[]): (start: number) => FoundSet | undefined {
  const member = memberReader(chars);
  const closed: (boolean | undefined)[] = [];

  function isClosed(from: number): boolean {
    const way: number[] = [];
    let found: boolean | undefined;
    for (let at = from; found === undefined;) {
      found = chars[at] === "]" ? true : closed[at];
      if (found !== undefined) break;
      way.push(at);
      const next = member(at)?.next;
      if (next === undefined) found = false;
      else at = next;
    }
    for (const at of way) closed[at] = found;
    return found;
  }

  return (start) => {
    let at = start + 1;
    const negated = chars[at] === "!" || chars[at] === "^";
    if (negated) at += 1;
    const opening = member(at);
    if (opening === undefined || !isClosed(opening.next)) return undefined;
    const ranges: Range[] = [];
    let beyondAscii = false;
    let known = true;
    for (let first = true; first || chars[at] !== "]"; first = false) {
      const low = member(at);
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
      const high = member(at + 1);
      if (high === undefined) return undefined;
      at = high.next;
      known &&= high.ranges !== undefined && !low.named && !high.named;
      ranges.push([point[0], high.ranges?.at(-1)?.[1] ?? point[0]]);
    }
    return { set: known ? { kind: "set", negated, ranges, beyondAscii } : undefined, end: at };
  };
}

interface Member {
  /** Undefined where nobody can tell. */
  readonly ranges: readonly Range[] | undefined;
  readonly named: boolean;
  readonly next: number;
}

/** Reads one character of a bracket expression, escaped or not, or one of `[:alpha:]`, `[.a.]` and `[=a=]`. Undefined at the end of the text. */
function memberReader(chars: readonly string[]): (at: number) => Member | undefined {
  const ends = new Map([":", ".", "="].map((mark) => [mark, endsOf(chars, mark)]));
  return (at) => {
    const mark = chars[at] === "[" ? (chars[at + 1] ?? "") : "";
    const close = ends.get(mark)?.(at + 2);
    if (close !== undefined)
      return { ranges: rangesNamed(mark, chars.slice(at + 2, close)), named: mark === ":", next: close + 2 };
    const escaped = chars[at] === "\\";
    const char = chars[escaped ? at + 1 : at];
    if (char === undefined) return undefined;
    return { ranges: [single(char)], named: false, next: at + (escaped ? 2 : 1) };
  };
}

/** Finds the next `:]` and the like from a place on. */
function endsOf(chars: readonly string[], mark: string): (from: number) => number | undefined {
  const ends = chars.flatMap((char, at) => (char === mark && chars[at + 1] === "]" ? [at] : []));
  return (from) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ends[middle] ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    return ends[low];
  };
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
