import { isMap } from "yaml";
import type { Rule, Source } from "../model/rule.ts";
import { everything } from "../policy/rules/capability.ts";
import { checkRule } from "../policy/rules/check-rule.ts";
import type { IndexWorld } from "../policy/rules/rule-index.ts";
import { checkSchema } from "./check-schema.ts";
import { type ConfigFault, ConfigProblem } from "./config-fault.ts";
import { pathText } from "./config-value.ts";
import { parseConfig } from "./parse-config.ts";
import { type RuleEntry, permissionsSchema } from "./permissions-schema.ts";
import { type ConfigText, hashBytes } from "./read-config-file.ts";

/** The sources that have files. */
export type FileSource = Extract<Source, "managed" | "user" | "workspace" | "agent">;

/**
 * Reads the rules of a permissions file. Each gets an id that stays the same while the rule does, and its place as origin.
 * @throws ConfigProblem with every fault and its place: YAML, keys, types, effects that the source may not have, patterns, examples, equal ids.
 */
export function loadPermissions(text: ConfigText, source: FileSource, world: IndexWorld): readonly Rule[] {
  const parsed = parseConfig(text);
  if (parsed.value === null || parsed.value === undefined) return [];
  const { rules: entries } = checkSchema(permissionsSchema, parsed);
  const faults: ConfigFault[] = [];
  const ids = new Map<string, number>();
  const rules = (entries ?? []).map((entry, at) => {
    const { line } = parsed.fault(["rules", at], "");
    const id = uniqueId(entry, source, ids);
    const rule = toRule(entry, id, source, `${text.file}:${line}`);
    if (entry.id !== undefined && ids.get(id) !== 1)
      faults.push(parsed.fault(["rules", at, "id"], `${JSON.stringify(entry.id)} is the id of another rule`));
    for (const { field, reason } of checkRule(rule, world))
      faults.push(parsed.fault(["rules", at, ...field], `${pathText(["rules", at, ...field])}: ${reason}`));
    return rule;
  });
  if (faults.length > 0) throw new ConfigProblem(faults);
  return rules;
}

/** The index of the rule with this id among the file's rules; undefined where there is none. */
export function findRule(text: ConfigText, source: FileSource, id: string): number | undefined {
  const parsed = parseConfig(text);
  const { rules } = checkSchema(permissionsSchema, parsed);
  const ids = new Map<string, number>();
  const at = (rules ?? []).findIndex((entry) => uniqueId(entry, source, ids) === id);
  return at < 0 || !isMap(parsed.document.getIn(["rules", at], true)) ? undefined : at;
}

/** A rule as the rest of Sallyport knows it. */
export function toRule(entry: RuleEntry, id: string, source: Source, origin?: string): Rule {
  return {
    id,
    source,
    capability: entry.capability,
    match: entry.match === undefined ? everything(entry.capability) : list(entry.match),
    exclude: list(entry.exclude ?? []),
    ...(entry.methods === undefined ? {} : { methods: list(entry.methods) }),
    effect: entry.effect,
    ...(entry.because === undefined ? {} : { because: entry.because }),
    ...(entry.examples === undefined ? {} : { examples: entry.examples }),
    ...(origin === undefined ? {} : { origin }),
  };
}

/** The id that the file gives, or one made from what the rule says: it survives when other rules come and go. Equal rules are numbered. */
function uniqueId(entry: RuleEntry, source: FileSource, seen: Map<string, number>): string {
  const methods = entry.methods === undefined ? [] : [list(entry.methods)];
  const said = JSON.stringify([entry.capability, entry.match, entry.exclude, entry.effect, ...methods]);
  const id = `${source}.${entry.id ?? hashBytes(said).slice(0, 8)}`;
  const count = (seen.get(id) ?? 0) + 1;
  seen.set(id, count);
  return count === 1 || entry.id !== undefined ? id : `${id}.${count}`;
}

function list(value: string | readonly string[]): readonly string[] {
  return typeof value === "string" ? [value] : value;
}
