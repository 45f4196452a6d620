import type { AbsolutePath } from "../../model/absolute-path.ts";
import { type Capability, capabilities, type Effect, type PathEffect } from "../../model/effect.ts";
import type { Rule } from "../../model/rule.ts";
import type { Verdict } from "../../model/verdict.ts";
import { allowsReach } from "./allows-reach.ts";
import { capabilityOf, everything, expandCapability, isPathCapability, isPathEffect } from "./capability.ts";
import type { CompiledRule, Hit, Hits, TextPatterns } from "./compiled-rule.ts";
import {
  effectShape,
  moveShape,
  parsePathPattern,
  type PathShape,
  type PatternWorld,
  shapeCovers,
  shapesMeet,
} from "./path-pattern.ts";
import { PathIndex } from "./path-index.ts";
import { subjectsOf } from "./subjects.ts";
import { TextIndex } from "./text-index.ts";
import { parseWebPattern } from "./web-pattern.ts";
import { matchesWords, parseWordPattern } from "./word-pattern.ts";

/** Where file patterns are anchored, and how a link on the way is followed: a rule about a linked folder holds for its real place too. */
export interface IndexWorld extends PatternWorld {
  /** The real path; may throw or return the same. */
  readonly real: (path: AbsolutePath) => AbsolutePath;
}

type Group = Readonly<Record<Verdict, { readonly texts: TextIndex; readonly paths: PathIndex }>>;

/** Rules, compiled once and asked many times. Immutable after {@link indexRules}. */
export class RuleIndex {
  readonly #groups: ReadonlyMap<Capability, Group>;

  constructor(groups: ReadonlyMap<Capability, Group>) {
    this.#groups = groups;
  }

  /** What the rules say about an effect. @throws where a pattern of the effect cannot be read: counts as deny. */
  find(effect: Effect): Hits {
    const capability = capabilityOf(effect);
    const group = this.#groups.get(capability);
    if (group === undefined || effect.kind === "opaque") return { deny: [], ask: [], allow: [] };
    if (isPathEffect(effect)) return findPaths(group, effect);
    const { strict, loose, stars } = subjectsOf(effect);
    const denies = findTexts(group.deny.texts, strict, true);
    const asks = findTexts(group.ask.texts, strict, true);
    const allows = findTexts(group.allow.texts, loose, stars);
    // An exclude loosens a strict rule, so it must hit the canonical text; it tightens an allow, so any spelling will do.
    const excluded = (rule: CompiledRule, texts: readonly string[]) =>
      patternsFor(rule, capability).exclude.some((pattern) => texts.some((text) => matchesWords(pattern, text)));
    const strictly = (rule: CompiledRule) => !stars || !excluded(rule, loose);
    return {
      deny: keep(denies, strictly),
      ask: keep(asks, strictly),
      allow: keep(allows, (rule) => !excluded(rule, strict) && pinsAuthority(rule, effect)),
    };
  }
}

/**
 * Compiles rules. The list may hold any number; cost is linear.
 * @throws RangeError naming the rule where a pattern is refused.
 */
export function indexRules(rules: readonly Rule[], world: IndexWorld): RuleIndex {
  const groups = new Map<Capability, Group>(capabilities.map((capability) => [capability, emptyGroup()]));
  for (const rule of rules) {
    try {
      addRule(groups, rule, world);
    } catch (cause) {
      throw new RangeError(`rule ${rule.id}: ${cause instanceof Error ? cause.message : "unreadable"}`, { cause });
    }
  }
  return new RuleIndex(groups);
}

function addRule(groups: ReadonlyMap<Capability, Group>, rule: Rule, world: IndexWorld): void {
  // Empty means everything for a strict rule and nothing for an allow: the safe reading of each.
  const match = rule.match.length > 0 || rule.effect === "allow" ? rule.match : everything(rule.capability);
  const expanded = expandCapability(rule.capability);
  const files = expanded.some(isPathCapability);
  const shapes = files ? match.flatMap((pattern) => parsePathPattern(pattern, world)) : [];
  const compiled: CompiledRule = {
    rule,
    words: { match: match.map(parseWordPattern), exclude: rule.exclude.map(parseWordPattern) },
    web: { match: match.map(parseWebPattern), exclude: rule.exclude.map(parseWebPattern) },
    excludePaths: files
      ? rule.exclude.flatMap((pattern) => withRealPlaces(parsePathPattern(pattern, world), world))
      : [],
  };
  for (const capability of expanded) {
    const slot = groups.get(capability)?.[rule.effect];
    if (isPathCapability(capability))
      for (const shape of withRealPlaces(shapes, world)) slot?.paths.add(shape, compiled);
    else for (const pattern of patternsFor(compiled, capability).match) slot?.texts.add(pattern, compiled);
  }
}

function patternsFor({ words, web }: CompiledRule, capability: Capability): TextPatterns {
  return capability === "web_fetch" || capability === "sandbox_network" ? web : words;
}

/** The shapes, and for each whose fixed part leads through a link the shape at its real place. */
function withRealPlaces(shapes: readonly PathShape[], world: IndexWorld): PathShape[] {
  return shapes.flatMap((shape) => {
    const real = realOrSame(shape.fixed, world);
    return real === shape.fixed ? [shape] : [shape, moveShape(shape, real)];
  });
}

function realOrSame(path: AbsolutePath, world: IndexWorld): AbsolutePath {
  try {
    return world.real(path);
  } catch {
    // Not readable now: the spelling alone still holds.
    return path;
  }
}

function emptyGroup(): Group {
  const slot = () => ({ texts: new TextIndex(), paths: new PathIndex() });
  return { allow: slot(), ask: slot(), deny: slot() };
}

function findTexts(index: TextIndex, texts: readonly string[], stars: boolean): Set<CompiledRule> {
  const found = new Set<CompiledRule>();
  for (const text of texts) index.find(text, stars, found);
  return found;
}

/** For an address, a `*` in the path of a pattern must not have stood for a part of the host. */
function pinsAuthority(rule: CompiledRule, effect: Effect): boolean {
  return effect.kind !== "reach" || rule.web.match.some((pattern) => allowsReach(pattern, effect));
}

function keep(found: ReadonlySet<CompiledRule>, wanted: (rule: CompiledRule) => boolean): Hit[] {
  return [...found].filter(wanted).map(({ rule }) => ({ rule, whole: true }));
}

function findPaths(group: Group, effect: PathEffect): Hits {
  const real = effectShape(effect.path, effect.exact);
  const spelled = effect.spelled === undefined ? [] : [effectShape(effect.spelled, effect.exact)];
  const all = [real, ...spelled];
  return {
    deny: strictHits(group.deny.paths, all, !effect.exact),
    ask: strictHits(group.ask.paths, all, !effect.exact),
    allow: allowHits(group.allow.paths, real, all),
  };
}

function strictHits(index: PathIndex, shapes: readonly PathShape[], below: boolean): Hit[] {
  const hits = new Map<CompiledRule, Hit>();
  for (const shape of shapes)
    for (const entry of index.candidates(shape.fixed, below)) {
      if (hits.get(entry.rule)?.whole === true || !shapesMeet(entry.shape, shape)) continue;
      if (entry.rule.excludePaths.some((exclude) => shapes.every((each) => shapeCovers(exclude, each)))) continue;
      hits.set(entry.rule, { rule: entry.rule.rule, whole: !isSubtree(shape) || shapeCovers(entry.shape, shape) });
    }
  return [...hits.values()];
}

/** True for a folder with everything below it, which a rule about one file in it meets without being about it. */
function isSubtree(shape: PathShape): boolean {
  return shape.components.some((component) => component.kind === "rest");
}

function allowHits(index: PathIndex, real: PathShape, all: readonly PathShape[]): Hit[] {
  const hits = new Set<CompiledRule>();
  for (const entry of index.candidates(real.fixed, false)) {
    if (hits.has(entry.rule) || !shapeCovers(entry.shape, real)) continue;
    if (entry.rule.excludePaths.some((exclude) => all.some((each) => shapesMeet(exclude, each)))) continue;
    hits.add(entry.rule);
  }
  return [...hits].map(({ rule }) => ({ rule, whole: true }));
}
