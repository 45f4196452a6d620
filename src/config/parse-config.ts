import { type Document, isNode, isPair, isMap, LineCounter, parseDocument, visit, type YAMLError } from "yaml";
import { type ConfigFault, ConfigProblem } from "./config-fault.ts";
import { type ConfigPath, type ConfigValue, fieldText, shownKey } from "./config-value.ts";
import type { ConfigText } from "./read-config-file.ts";
import { yamlExcess } from "./yaml-bounds.ts";

/** A parsed file. */
export interface ParsedConfig extends ConfigValue {
  readonly file: string;
  readonly document: Document.Parsed;
}

/** Most times that an alias may be followed: anchors are a convenience, not a bomb. */
const maxAliases = 100;

/**
 * Parses YAML 1.2 (core schema), of which JSON is a part; a file called `.json` must be JSON.
 * @throws ConfigProblem with every fault and its place.
 */
export function parseConfig({ file, text }: ConfigText): ParsedConfig {
  const excess = yamlExcess(text);
  if (excess !== undefined)
    throw new ConfigProblem([{ file, ...placeOf(text, excess.offset), message: excess.message }]);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    version: "1.2",
    schema: "core",
    merge: false,
    prettyErrors: false,
    customTags: [],
    // What is wrong is told by faults, not on standard error.
    logLevel: "error",
  });
  const at = (offset: number, message: string): ConfigFault => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col, message };
  };
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) throw new ConfigProblem(broken.map((error) => at(error.pos[0], yamlMessage(error, text))));
  if (file.endsWith(".json")) checkJson(text, file);
  let firstAlias = 0;
  visit(document, {
    Alias(_key, node) {
      firstAlias ||= node.range?.[0] ?? 0;
      if (node.resolve(document) === undefined)
        throw new ConfigProblem([at(node.range?.[0] ?? 0, `there is no anchor ${node.source}${aliasHint}`)]);
    },
  });
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: maxAliases });
  } catch (cause) {
    const isBomb = cause instanceof ReferenceError;
    const message = cause instanceof Error ? cause.message : "unreadable";
    throw new ConfigProblem([
      at(firstAlias, isBomb ? `aliases stand for more than ${maxAliases} values: write them out` : message),
    ]);
  }
  return {
    file,
    value,
    document,
    fault: (path, message, key) => ({
      ...at(offsetOf(document, path, key), message),
      field: fieldText(path, key),
    }),
  };
}

function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r?\n/);
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

/** What the parser says, in words for whoever wrote the file where its own are for programmers. */
function yamlMessage({ code, message, pos }: YAMLError, text: string): string {
  switch (code) {
    case "BAD_ALIAS":
      return `${message}${aliasHint}`;
    case "MULTIPLE_DOCS":
      return "a second document starts here: a file holds one";
    case "DUPLICATE_KEY":
      return `the key ${shownKey(/^["']?([^\s:,}"']+)/.exec(text.slice(pos[0], pos[0] + 300))?.[1] ?? "")} stands twice`;
    default:
      return message.includes("call stack") ? "is nested too deep" : message;
  }
}

const aliasHint = " (a pattern that starts with * must be quoted)";

function checkJson(text: string, file: string): void {
  try {
    JSON.parse(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : "";
    // V8 says where, but for a text that does not even begin as JSON.
    const [, line = "1", column = "1"] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
    const shown = message.replace(/ at position \d+.*$/s, "").replaceAll(/\s+/g, " ");
    throw new ConfigProblem([{ file, line: Number(line), column: Number(column), message: `is not JSON: ${shown}` }]);
  }
}

function offsetOf(document: Document.Parsed, path: ConfigPath, key: string | undefined): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (key !== undefined && length === path.length && isMap(node)) {
      const pair = node.items.find((item) => isPair(item) && isNode(item.key) && String(item.key) === key);
      if (isNode(pair?.key) && pair.key.range) return pair.key.range[0];
    }
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
