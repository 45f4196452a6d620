const marks = /\\[^]|\$[{[]|[}\]'"]/g;

const opener: Readonly<Record<string, string>> = { "}": "${", "]": "$[" };

/**
 * What reading `${`, `$[` and subscripts costs that lie inside each other, in units of work: the parser goes over the inner ones again at every level, and to the end of the text where one is not closed.
 * Whether quotes hide an end depends on what is around them, so the dearer of both readings counts. Linear in the text.
 */
export function nestingUnits(text: string): number {
  return (Math.max(spans(text, false), spans(text, true)) + subscripts(text)) / 250;
}

/** Characters in all subscripts of arithmetic together. One that is not closed is looked for up to the end of the text, again for every word. */
function subscripts(text: string): number {
  const start = text.search(/\(\(|\$\[|\blet\b/);
  if (start < 0) return 0;
  const open: number[] = [];
  let total = 0;
  for (const { 0: mark, index: at } of text.slice(start).matchAll(/\\[^]|[[\]]/g)) {
    if (mark === "[") open.push(at);
    else if (mark === "]") total += at - (open.pop() ?? at);
  }
  for (const at of open) total += text.length - start - at;
  return total;
}

interface Open {
  readonly mark: string;
  readonly at: number;
  /** The quote that is open around it. */
  readonly quote: string;
}

/** Characters in all of them together: what lies in two counts twice. */
function spans(text: string, quotes: boolean): number {
  const open: Open[] = [];
  let quote = "";
  let total = 0;
  for (const { 0: mark, index: at } of text.matchAll(marks)) {
    const inner = open.at(-1);
    if (mark.startsWith("$")) {
      open.push({ mark, at, quote });
      quote = "";
    } else if (mark === "'" || mark === '"') {
      if (quotes && (quote === "" || quote === mark)) quote = quote === "" ? mark : "";
    } else if (quote === "" && inner !== undefined && inner.mark === opener[mark]) {
      open.pop();
      total += at - inner.at;
      quote = inner.quote;
    }
  }
  for (const { at } of open) total += text.length - at;
  return total;
}
