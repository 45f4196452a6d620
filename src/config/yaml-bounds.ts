import { Lexer } from "yaml";

/** Most brackets and braces inside each other, or dashes behind each other: rules need three. */
const maxDepth = 64;
/** Most words and marks: twice what the largest file with the most rules holds. Parsing costs microseconds for each. */
const maxTokens = 2_000_000;
/** Most rules of a file. */
export const maxRules = 20_000;

/** Where the lexer says that a document, an end of a flow or a scalar comes: no part of the text. */
const lexerMarks: ReadonlySet<string> = new Set(["\u0002", "\u0018", "\u001f"]);

/** What a text has too much of, and where. */
export interface YamlExcess {
  readonly offset: number;
  readonly message: string;
}

/**
 * Looks through a YAML text before it is parsed, at a tenth of the cost: what is nested or repeated beyond all use is refused early, for the process that
 * parses it also answers requests. Each rule has one key `capability`, by which rules are counted.
 */
export function yamlExcess(text: string): YamlExcess | undefined {
  let offset = 0;
  let depth = 0;
  let dashes = 0;
  let tokens = 0;
  let rules = 0;
  let before = "";
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (token === "[" || token === "{") depth += 1;
    else if ((token === "]" || token === "}") && depth > 0) depth -= 1;
    else if (token === "-" || token === "?") dashes += 1;
    else if (token === ":" && /^(["']?)capability\1$/.test(before)) rules += 1;
    else if (token.startsWith("\n") || token.startsWith("\r")) dashes = 0;
    if (depth + dashes > maxDepth) return { offset, message: `is nested more than ${maxDepth} deep` };
    if (rules > maxRules) return { offset, message: `holds more than ${maxRules} rules` };
    if (tokens > maxTokens) return { offset, message: `holds more than ${maxTokens} words and marks` };
    if (!lexerMarks.has(token)) offset += token.length;
    if (token.trim() !== "") before = token;
  }
  return undefined;
}
