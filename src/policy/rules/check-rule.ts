import { type AbsolutePath, parseAbsolutePath, resolvePath } from "../../model/absolute-path.ts";
import type { Capability, Effect } from "../../model/effect.ts";
import { httpMethods } from "../../model/http-method.ts";
import type { Rule, Source } from "../../model/rule.ts";
import type { Verdict } from "../../model/verdict.ts";
import { canonicalHost } from "../canonical-host.ts";
import { expandCapability, isPathCapability } from "./capability.ts";
import { parsePathPattern } from "./path-pattern.ts";
import { indexRules, type IndexWorld, type RuleIndex } from "./rule-index.ts";
import { maxPatternLength } from "./word-pattern.ts";

/** Most patterns of one rule. */
const maxPatterns = 1000;

/** What a rule of this source may say. */
function allowedEffects(source: Source): readonly Verdict[] {
  return source === "hardcoded" || source === "managed" ? ["deny", "ask"] : ["deny", "ask", "allow"];
}

/** A fault of a rule, and the field it lies in. */
export interface RuleFault {
  readonly field: readonly (string | number)[];
  readonly reason: string;
}

/** Everything that a rule's types cannot say: effect and source, patterns, and its own examples. Empty where the rule is good. */
export function checkRule(rule: Rule, world: IndexWorld): RuleFault[] {
  const faults: RuleFault[] = [];
  if (!allowedEffects(rule.source).includes(rule.effect))
    faults.push({
      field: ["effect"],
      reason: `a ${rule.source} rule may ${allowedEffects(rule.source).join(" or ")}, not ${rule.effect}`,
    });
  for (const field of ["match", "exclude"] as const) faults.push(...patternFaults(rule, field, world));
  faults.push(...methodFaults(rule));
  if (faults.length > 0 || rule.examples === undefined) return faults;
  const index = indexRules([rule], world);
  for (const [at, example] of rule.examples.hits.entries())
    if (!speaks(index, rule, example, world))
      faults.push({ field: ["examples", "hits", at], reason: `the rule does not match ${JSON.stringify(example)}` });
  for (const [at, example] of rule.examples.misses.entries())
    if (speaks(index, rule, example, world))
      faults.push({ field: ["examples", "misses", at], reason: `the rule matches ${JSON.stringify(example)}` });
  return faults;
}

function methodFaults({ capability, methods }: Rule): RuleFault[] {
  if (methods === undefined) return [];
  if (!expandCapability(capability).every((each) => each === "web_fetch" || each === "sandbox_network"))
    return [{ field: ["methods"], reason: "only rules of web_fetch and sandbox_network are about methods" }];
  if (methods.length > httpMethods.length) return [{ field: ["methods"], reason: "more methods than there are" }];
  return methods.flatMap((method, at) => {
    if (httpMethods.includes(method)) return [];
    const upper = method.toUpperCase();
    const reason = httpMethods.includes(upper)
      ? `methods are written in capitals: ${upper}`
      : `${JSON.stringify(method.slice(0, 40))} is no method that rules know, such as GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS`;
    return [{ field: ["methods", at], reason }];
  });
}

function patternFaults(rule: Rule, field: "match" | "exclude", world: IndexWorld): RuleFault[] {
  if (rule[field].length > maxPatterns) return [{ field: [field], reason: `more than ${maxPatterns} patterns` }];
  return rule[field].flatMap((pattern, at) => {
    const reason = patternFault(rule, pattern, world);
    return reason === undefined ? [] : [{ field: [field, at], reason }];
  });
}

function patternFault(rule: Rule, pattern: string, world: IndexWorld): string | undefined {
  if (pattern === "") return "a pattern must not be empty";
  if (pattern.length > maxPatternLength) return `a pattern is at most ${maxPatternLength} characters long`;
  if (pattern.includes("\0")) return "a pattern must not hold a NUL";
  // Such as YAML's `|` leaves: it would match nothing, and a denial nobody.
  if (/[\r\n]$/.test(pattern)) return "a pattern must not end with a line break";
  if (pattern.trim() === "") return "a pattern must not be blank";
  if (rule.capability === "shell" && pattern !== pattern.trim())
    return "a pattern of shell must not begin or end with a blank: no command does";
  if (!expandCapability(rule.capability).some(isPathCapability))
    return pattern.startsWith("!")
      ? "a pattern is not turned round by !: put what it is not about into exclude"
      : undefined;
  try {
    parsePathPattern(pattern, world);
    return undefined;
  } catch (cause) {
    return cause instanceof Error ? cause.message : "unreadable";
  }
}

function speaks(index: RuleIndex, rule: Rule, example: string, world: IndexWorld): boolean {
  return expandCapability(rule.capability).some((capability) => {
    const effect = exampleEffect(capability, example, world);
    return effect !== undefined && index.find(effect)[rule.effect].length > 0;
  });
}

/** What an example text stands for: a command, a path, a host or address, a name. */
function exampleEffect(capability: Capability, text: string, world: IndexWorld): Effect | undefined {
  switch (capability) {
    case "shell": {
      const argv = text.split(" ");
      return { kind: "run", program: argv[0] ?? "", argv, text };
    }
    case "fs_read":
    case "fs_write": {
      const path = examplePath(text, world);
      return path === undefined ? undefined : { kind: capability === "fs_read" ? "read" : "write", path, exact: true };
    }
    case "web_fetch":
    case "sandbox_network":
      return exampleReach(capability, text);
    default:
      return { kind: "use", capability, name: text };
  }
}

/** A host or an address, after a method or alone: `POST https://example.com/x`. */
function exampleReach(capability: "web_fetch" | "sandbox_network", text: string): Effect | undefined {
  const [, method, place = text] = /^([A-Z-]+) (.*)$/.exec(text) ?? [];
  const url = URL.parse(place.includes("://") ? place : `https://${place}`);
  const host = url === null ? undefined : canonicalHost(url.hostname);
  if (url === null || host === undefined) return undefined;
  const port = url.port === "" ? (url.protocol === "http:" ? 80 : 443) : Number(url.port);
  return {
    kind: "reach",
    host,
    port,
    capability,
    ...(method === undefined ? {} : { method }),
    ...(place.includes("://") ? { url: url.href } : {}),
  };
}

function examplePath(text: string, { home, workspace }: IndexWorld): AbsolutePath | undefined {
  if (text === "~") return home;
  if (text.startsWith("~/")) return resolvePath(home, text.slice(2));
  return workspace === undefined ? parseAbsolutePath(text) : resolvePath(workspace, text);
}
