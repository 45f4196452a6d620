import type { AbsolutePath } from "../../model/absolute-path.ts";
import {
  type Capability,
  capabilities,
  type Effect,
  type PathEffect,
  type ReachEffect,
  type RunEffect,
  type UseEffect,
} from "../../model/effect.ts";
import type { Rule } from "../../model/rule.ts";
import type { Verdict } from "../../model/verdict.ts";
import { type AddressedHosts, addressedHosts } from "./addressed-hosts.ts";
import { allowsReach } from "./allows-reach.ts";
import { capabilityOf, everything, expandCapability, isPathCapability, isPathEffect } from "./capability.ts";
import type { CompiledRule, Hit, Hits, TextPatterns } from "./compiled-rule.ts";
import { effectShape, moveShape, parsePathPattern, type PathShape, shapeCovers, shapesMeet } from "./path-pattern.ts";
import { PathIndex } from "./path-index.ts";
import type { PatternWorld } from "./root-pattern.ts";
import { subjectsOf } from "./subjects.ts";
import { TextIndex } from "./text-index.ts";
import { coversMethod, meetsMethod } from "./rule-methods.ts";
import { unicodeForms } from "./unicode-forms.ts";
import { tunnelPattern, parseWebPattern } from "./web-pattern.ts";
import { matchesWords, parseWordPattern, type WordPattern } from "./word-pattern.ts";

/** Where file patterns are anchored, and how a link on the way is followed: a rule about a linked folder holds for its real place too. */
export interface IndexWorld extends PatternWorld {
  /** The real path; may throw or return the same. */
  readonly real: (path: AbsolutePath) => AbsolutePath;
}

interface Slot {
  readonly texts: TextIndex;
  readonly paths: PathIndex;
  /** Rules that look at paths or methods of a host, by that host. */
  readonly hosts: { readonly about: AddressedHosts; readonly rule: CompiledRule }[];
}

type Group = Readonly<Record<Verdict, Slot>>;

type Found = ReadonlySet<CompiledRule> | undefined;

/** What strict rules say about the wrappers around a command. */
interface Around {
  readonly deny: Found;
  readonly ask: Found;
}

/** What commands do. */
const ofCommands: ReadonlySet<Capability> = new Set(["shell", "fs_read", "fs_write", "web_fetch", "sandbox_network"]);

const nothing: Hits = { deny: [], ask: [], allow: [] };

/** Rules, compiled once and asked many times. Immutable after {@link indexRules}. */
export class RuleIndex {
  /** The first rule that denies something a command may do; what was not looked at may be that. */
  readonly denial: Rule | undefined;
  readonly #groups: ReadonlyMap<Capability, Group>;
  readonly #aliases = new WeakMap<readonly string[], Around>();

  constructor(groups: ReadonlyMap<Capability, Group>, denial: Rule | undefined) {
    this.#groups = groups;
    this.denial = denial;
  }

  /** What the rules say about an effect. @throws where a pattern of the effect cannot be read: counts as deny. */
  find(effect: Effect): Hits {
    if (effect.kind === "opaque") return nothing;
    const capability = capabilityOf(effect);
    const group = this.#groups.get(capability);
    if (group === undefined) return nothing;
    if (isPathEffect(effect)) return hasNone(group, "paths") ? nothing : findPaths(group, effect);
    return hasNone(group, "texts") ? nothing : this.#findTexts(group, effect);
  }

  #findTexts(group: Group, effect: RunEffect | ReachEffect | UseEffect): Hits {
    const { strict, aliases, loose, stars } = subjectsOf(effect);
    const around = aliases.length === 0 ? undefined : this.#around(group, aliases);
    const denies = joined(findTexts(group.deny.texts, strict, true), around?.deny);
    const asks = joined(findTexts(group.ask.texts, strict, true), around?.ask);
    const allows = findTexts(group.allow.texts, loose, stars);
    const promises = foretold(group.allow, effect);
    if (promises.length === 0 && denies === undefined && asks === undefined && allows === undefined) return nothing;
    const capability = capabilityOf(effect);
    // An exclude loosens a strict rule, so it must hit the canonical text; it tightens an allow, so any spelling will do.
    const excluded = (rule: CompiledRule, texts: readonly string[]): boolean =>
      patternsFor(rule, capability).exclude.some((pattern) => texts.some((text) => matchesWords(pattern, text)));
    const strictly = (rule: CompiledRule): boolean =>
      meetsMethod(rule.rule, effect) && (!stars || !excluded(rule, loose));
    return {
      deny: keep(denies, strictly),
      ask: keep(asks, strictly),
      allow: [
        ...keep(
          allows,
          (rule) =>
            coversMethod(rule.rule, effect) &&
            !excluded(rule, strict) &&
            !excluded(rule, aliases) &&
            pinsAuthority(rule, effect),
        ),
        ...promises.filter((rule) => !excluded(rule, strict)).map(({ rule }) => ({ rule, whole: true })),
      ],
    };
  }

  /** Strict rules about the wrappers around a command. Many commands share them, and they may be as long as the text. */
  #around(group: Group, aliases: readonly string[]): Around {
    const known = this.#aliases.get(aliases) ?? {
      deny: findTexts(group.deny.texts, aliases, true),
      ask: findTexts(group.ask.texts, aliases, true),
    };
    this.#aliases.set(aliases, known);
    return known;
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
  return new RuleIndex(groups, rules.find(deniesCommands));
}

function deniesCommands({ effect, capability }: Rule): boolean {
  return effect === "deny" && expandCapability(capability).some((each) => ofCommands.has(each));
}

function addRule(groups: ReadonlyMap<Capability, Group>, rule: Rule, world: IndexWorld): void {
  // Empty means everything for a strict rule and nothing for an allow: the safe reading of each.
  const written = rule.match.length > 0 || rule.effect === "allow" ? rule.match : everything(rule.capability);
  // What makes a rule stricter meets every spelling: the patterns of a strict rule, and the exceptions of an allow.
  const strict = rule.effect !== "allow";
  const match = strict ? written.flatMap(unicodeForms) : written;
  const exclude = strict ? rule.exclude : rule.exclude.flatMap(unicodeForms);
  const expanded = expandCapability(rule.capability);
  const files = expanded.some(isPathCapability);
  const shapes = files ? match.flatMap((pattern) => parsePathPattern(pattern, world)) : [];
  const compiled: CompiledRule = {
    rule,
    words: { match: match.map(parseWordPattern), exclude: exclude.map(parseWordPattern) },
    web: { match: webPatterns(match, strict), exclude: webPatterns(exclude, !strict) },
    excludePaths: files ? exclude.flatMap((pattern) => withRealPlaces(parsePathPattern(pattern, world), world)) : [],
  };
  for (const capability of expanded) {
    const slot = groups.get(capability)?.[rule.effect];
    if (isPathCapability(capability))
      for (const shape of withRealPlaces(shapes, world)) slot?.paths.add(shape, compiled);
    else for (const pattern of patternsFor(compiled, capability).match) slot?.texts.add(pattern, compiled);
  }
  if (!expanded.includes("sandbox_network")) return;
  const about = addressedHosts([{ ...rule, match, exclude: [] }]);
  if (!about.none) groups.get("sandbox_network")?.[rule.effect].hosts.push({ about, rule: compiled });
}

function webPatterns(texts: readonly string[], strict: boolean): WordPattern[] {
  return texts.flatMap((text) => [parseWebPattern(text), ...(strict ? tunnelPattern(text) : [])]);
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
  const slot = (): Slot => ({ texts: new TextIndex(), paths: new PathIndex(), hosts: [] });
  return { allow: slot(), ask: slot(), deny: slot() };
}

function hasNone({ deny, ask, allow }: Group, kind: "texts" | "paths"): boolean {
  return deny[kind].isEmpty && ask[kind].isEmpty && allow[kind].isEmpty;
}

function findTexts(index: TextIndex, texts: readonly string[], stars: boolean): Set<CompiledRule> | undefined {
  let found: Set<CompiledRule> | undefined;
  for (const text of texts) found = index.find(text, stars, found);
  return found;
}

function joined(found: Set<CompiledRule> | undefined, more: Found): Found {
  if (found === undefined || more === undefined) return found ?? more;
  for (const rule of more) found.add(rule);
  return found;
}

/**
 * Rules that allow some requests to a host, where a command's words only foretell that it is reached. Each request meets them at the proxy, which looks into TLS with such
 * hosts; without this a rule about a path or a method would let no command ask for what it allows.
 */
function foretold({ hosts }: Slot, effect: Effect): readonly CompiledRule[] {
  if (hosts.length === 0 || effect.kind !== "reach" || effect.foretold !== true || effect.host === "*") return [];
  return hosts.filter(({ about }) => about.covers(effect.host, effect.port)).map(({ rule }) => rule);
}

/** For an address, a `*` in the path of a pattern must not have stood for a part of the host. */
function pinsAuthority(rule: CompiledRule, effect: Effect): boolean {
  return effect.kind !== "reach" || rule.web.match.some((pattern) => allowsReach(pattern, effect));
}

function keep(found: Found, wanted: (rule: CompiledRule) => boolean): readonly Hit[] {
  if (found === undefined) return nothing.deny;
  return [...found].filter(wanted).map(({ rule }) => ({ rule, whole: true }));
}

function findPaths(group: Group, effect: PathEffect): Hits {
  const real = effectShape(effect.path, effect.exact);
  const all = effect.spelled === undefined ? [real] : [real, effectShape(effect.spelled, effect.exact)];
  return {
    deny: strictHits(group.deny.paths, all, !effect.exact),
    ask: strictHits(group.ask.paths, all, !effect.exact),
    allow: allowHits(group.allow.paths, real, all),
  };
}

function strictHits(index: PathIndex, shapes: readonly PathShape[], below: boolean): readonly Hit[] {
  let hits: Map<CompiledRule, Hit> | undefined;
  for (const shape of shapes)
    for (const entry of index.candidates(shape.fixed, below)) {
      if (hits?.get(entry.rule)?.whole === true || !shapesMeet(entry.shape, shape)) continue;
      if (entry.rule.excludePaths.some((exclude) => shapes.every((each) => shapeCovers(exclude, each)))) continue;
      hits ??= new Map();
      hits.set(entry.rule, { rule: entry.rule.rule, whole: !isSubtree(shape) || shapeCovers(entry.shape, shape) });
    }
  return hits === undefined ? nothing.deny : [...hits.values()];
}

/** True for a folder with everything below it, which a rule about one file in it meets without being about it. */
function isSubtree(shape: PathShape): boolean {
  return shape.components.some((component) => component.kind === "rest");
}

function allowHits(index: PathIndex, real: PathShape, all: readonly PathShape[]): readonly Hit[] {
  let hits: Set<CompiledRule> | undefined;
  for (const entry of index.candidates(real.fixed, false)) {
    if (hits?.has(entry.rule) === true || !shapeCovers(entry.shape, real)) continue;
    if (entry.rule.excludePaths.some((exclude) => all.some((each) => shapesMeet(exclude, each)))) continue;
    (hits ??= new Set()).add(entry.rule);
  }
  return hits === undefined ? nothing.deny : [...hits].map(({ rule }) => ({ rule, whole: true }));
}
