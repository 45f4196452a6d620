/** Most alternatives that one pattern may stand for. */
const maxAlternatives = 64;

/**
 * Expands `{a,b}` and nested braces of a file pattern into alternatives. Braces without a comma, or not closed, stay as they are; so do those after a backslash.
 * @throws RangeError where there are more than {@link maxAlternatives}.
 */
export function expandBraces(text: string): string[] {
  const group = firstGroup(text);
  if (group === undefined) return [text];
  const before = text.slice(0, group.start);
  const after = text.slice(group.end + 1);
  const found: string[] = [];
  for (const option of group.options)
    for (const expanded of expandBraces(`${option}${after}`)) {
      found.push(`${before}${expanded}`);
      if (found.length > maxAlternatives)
        throw new RangeError(`a pattern stands for at most ${maxAlternatives} alternatives`);
    }
  return found;
}

function firstGroup(text: string): { start: number; end: number; options: string[] } | undefined {
  for (let start = 0; start < text.length; start += 1) {
    if (text[start] === "\\") start += 1;
    else if (text[start] === "{") {
      const group = readGroup(text, start);
      if (group !== undefined) return { start, ...group };
    }
  }
  return undefined;
}

function readGroup(text: string, start: number): { end: number; options: string[] } | undefined {
  const options: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\\") at += 1;
    else if (char === "{") depth += 1;
    else if (char === "," && depth === 1) {
      options.push(text.slice(from, at));
      from = at + 1;
    } else if (char === "}" && (depth -= 1) === 0) {
      options.push(text.slice(from, at));
      return options.length > 1 ? { end: at, options } : undefined;
    }
  }
  return undefined;
}
