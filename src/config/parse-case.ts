import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Rule } from "../model/rule.ts";
import { checkRule } from "../policy/rules/check-rule.ts";
import type { IndexWorld } from "../policy/rules/rule-index.ts";
import {
  type BatchLine,
  batchLineSchema,
  type CaseRule,
  describedWorld,
  type EgressLine,
  egressLineSchema,
  rulesTestSchema,
  type TestCase,
} from "./case-schema.ts";
import { checkSchema } from "./check-schema.ts";
import { type ConfigFault, ConfigProblem } from "./config-fault.ts";
import { type ConfigPath, type ConfigValue, fieldText, pathText, shownKey } from "./config-value.ts";
import { parseConfig } from "./parse-config.ts";
import { toRule } from "./load-permissions.ts";
import type { ConfigText } from "./read-config-file.ts";
import { repeatedKey } from "./repeated-key.ts";

/** One line of a batch with its rules made ready. */
export interface ParsedLine {
  readonly line: BatchLine;
  readonly rules: readonly Rule[];
}

/** One line of a batch; undefined: its bytes are no UTF-8. */
export type LineText = string | undefined;

/** Longest line of a batch in UTF-16 units. */
export const maxLine = 8_388_608;

/**
 * Reads one line of a batch.
 * @throws ConfigProblem naming the line and the field.
 */
export function parseBatchLine(text: LineText, number: number): ParsedLine {
  const parsed = parseJsonLine(text, number);
  const line = checkSchema(batchLineSchema, parsed, "the line");
  return { line, rules: caseRules(line.rules, parsed, { home: line.home, workspace: line.cwd, real: (path) => path }) };
}

/** One line of a batch of `egress check` with its rules made ready; undefined: it holds none. */
export interface ParsedEgressLine {
  readonly line: EgressLine;
  readonly rules: readonly Rule[] | undefined;
}

/**
 * Reads one line of a batch of `egress check`. A line that is a text alone is its target.
 * @throws ConfigProblem naming the line and the field.
 */
export function parseEgressLine(text: LineText, number: number): ParsedEgressLine {
  const json = parseJsonLine(text, number);
  const parsed = typeof json.value === "string" ? { ...json, value: { target: json.value } } : json;
  const line = checkSchema(egressLineSchema, parsed, "the line");
  const { cwd, home } = describedWorld;
  const world = { home, workspace: cwd, real: (path: AbsolutePath) => path };
  return { line, rules: line.rules === undefined ? undefined : caseRules(line.rules, parsed, world) };
}

function parseJsonLine(text: LineText, number: number): ConfigValue {
  const fault = (path: ConfigPath, message: string, key?: string): ConfigFault => ({
    file: "",
    line: number,
    column: 0,
    message,
    field: fieldText(path, key),
  });
  if (text === undefined) throw new ConfigProblem([fault([], "the line is not UTF-8")]);
  if (text.length > maxLine) throw new ConfigProblem([fault([], `the line is longer than ${maxLine} characters`)]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ConfigProblem([fault([], `not JSON: ${cause instanceof Error ? cause.message : ""}`)]);
  }
  const twice = repeatedKey(text);
  if (twice !== undefined)
    throw new ConfigProblem([fault(twice.path, `the key ${shownKey(twice.key)} stands twice`, twice.key)]);
  return { value, fault };
}

/** A file for `rules test`. */
export interface RulesTest {
  readonly rules: readonly Rule[];
  readonly cases: readonly (TestCase & { readonly place: string })[];
}

/**
 * Reads a rules test in YAML.
 * @throws ConfigProblem with every fault and its place.
 */
export function parseRulesTest(text: ConfigText): RulesTest {
  const parsed = parseConfig(text);
  const { rules, cases } = checkSchema(rulesTestSchema, parsed);
  const [first] = cases;
  if (first === undefined) throw new ConfigProblem([parsed.fault(["cases"], "must not be empty")]);
  return {
    rules: caseRules(rules, parsed, { home: first.home, workspace: first.cwd, real: (path) => path }),
    cases: cases.map((each, at) => ({ ...each, place: `${text.file}:${parsed.fault(["cases", at], "").line}` })),
  };
}

function caseRules(entries: readonly CaseRule[], parsed: ConfigValue, world: IndexWorld): readonly Rule[] {
  const rules = entries.map((entry, at) => toRule(entry, entry.id ?? `${entry.source}.${at + 1}`, entry.source));
  const ids = new Set<string>();
  const faults = rules.flatMap((rule, at) => {
    const isSecond = ids.size === ids.add(`${rule.source} ${rule.id}`).size;
    return [
      ...(isSecond ? [parsed.fault(["rules", at, "id"], `${shownKey(rule.id)} is the id of another rule`)] : []),
      ...checkRule(rule, world).map(({ field, reason }) =>
        parsed.fault(["rules", at, ...field], `${pathText(["rules", at, ...field])}: ${reason}`),
      ),
    ];
  });
  if (faults.length > 0) throw new ConfigProblem(faults);
  return rules;
}
