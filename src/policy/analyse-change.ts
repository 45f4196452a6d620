import { type AbsolutePath, parentOf, parseAbsolutePath, rootPath } from "../model/absolute-path.ts";
import type { ChangeAction } from "../model/action.ts";
import type { PathEffect } from "../model/effect.ts";
import { exhausted } from "../model/exhausted.ts";
import type { Facts } from "../model/facts.ts";
import type { SessionId } from "../model/ids.ts";
import type { ChangeIntent } from "../model/intent.ts";
import { invalid } from "../model/problem.ts";
import { removalRule } from "./blocklist/removal-rule.ts";
import type { Blocked } from "./decide.ts";
import { entryPlace } from "./entry-place.ts";
import { locateEffects, type Located } from "./locate-effects.ts";
import { escapeGlob } from "./rules/escape-glob.ts";

/** What a change of files would do, and the action it becomes. */
export interface ChangeAnalysis extends Located {
  readonly blocked: readonly Blocked[];
  readonly action: ChangeAction;
}

/**
 * Turns a change into the effects that the matching command has (`rm`, `mv -T`, `cp -T`, `mkdir`), so that both doors give the same answer. What is named itself and not
 * followed, such as a link that is removed, is judged at its own place as well.
 * @throws Problem `invalid_argument`, and what Facts throw of the folders on the way.
 */
export function analyseChange(intent: ChangeIntent, facts: Facts, session: SessionId): ChangeAnalysis {
  const plan = planOf(intent, facts, session);
  const found = locateEffects(plan.effects.map(spellingOf), { facts, roots: [] });
  // Those of the plan win where both are equal: what is blocked is known by its identity.
  const effects = new Map([...found.effects, ...plan.effects].map((effect) => [JSON.stringify(effect), effect]));
  return { effects: [...effects.values()], refused: found.refused, blocked: plan.blocked ?? [], action: plan.action };
}

interface Plan {
  readonly effects: readonly PathEffect[];
  readonly blocked?: readonly Blocked[];
  readonly action: ChangeAction;
}

function planOf(intent: ChangeIntent, facts: Facts, session: SessionId): Plan {
  switch (intent.kind) {
    case "edit": {
      const path = facts.locate(intent.path).real;
      // It says what was there, and fails where something else is.
      const effects = [touch("read", intent.path, path, false), touch("write", intent.path, path, false)];
      return { effects, action: { ...intent, path, session } };
    }
    case "make-directory": {
      const path = facts.locate(intent.path).real;
      const folders = intent.parents ? missingFolders(path, facts) : [path];
      const effects = folders.map((folder) => touch("write", folder === path ? intent.path : folder, folder, false));
      return { effects, action: { ...intent, path, session } };
    }
    case "remove": {
      const path = nameAt("path", intent.path, facts);
      const effect = touch("delete", intent.path, path, intent.recursive);
      const rule = intent.recursive ? removalRule(intent.path, facts) : undefined;
      return {
        effects: [effect],
        blocked: rule === undefined ? [] : [{ effect, rule }],
        action: { ...intent, path, session },
      };
    }
    case "move": {
      const from = nameAt("from", intent.from, facts);
      const to = nameAt("to", intent.to, facts);
      const tree = isFolder(from, facts);
      const removed = touch("delete", intent.from, from, tree);
      const rule = tree ? removalRule(intent.from, facts) : undefined;
      return {
        // A move gives a file another name, under which another rule may speak: whoever moves it could read it there.
        effects: [removed, touch("read", intent.from, from, tree), touch("write", intent.to, to, tree)],
        blocked: rule === undefined ? [] : [{ effect: removed, rule }],
        action: { ...intent, from, to, session },
      };
    }
    case "copy": {
      const from = facts.locate(intent.from).real;
      const to = nameAt("to", intent.to, facts);
      const effects = [
        touch("read", intent.from, from, intent.recursive),
        touch("write", intent.to, to, intent.recursive),
      ];
      return { effects, action: { ...intent, from, to, session } };
    }
    case "restore": {
      const path = nameAt("to", intent.path, facts);
      const written = touch("write", intent.path, path, intent.folder);
      // Elsewhere another rule may let it be read.
      const elsewhere =
        intent.path === intent.original ? [] : [touch("read", intent.original, intent.original, intent.folder)];
      return { effects: [written, ...elsewhere], action: { ...intent, path, session } };
    }
    case "empty-trash": {
      // What cannot come back is removed where it was.
      const effects = intent.entries.map(({ path, folder }) => touch("delete", path, path, folder));
      return { effects, action: { ...intent, session } };
    }
    default:
      return exhausted(intent);
  }
}

/** One path, or the path with everything below it. */
function touch(kind: PathEffect["kind"], asked: AbsolutePath, real: AbsolutePath, tree: boolean): PathEffect {
  const path = tree ? treeAt(real) : real;
  const spelled = tree ? treeAt(asked) : asked;
  return { kind, path, exact: !tree, ...(path === spelled ? {} : { spelled }) };
}

function treeAt(path: AbsolutePath): AbsolutePath {
  const tree = parseAbsolutePath(`${escapeGlob(path)}/**`);
  if (tree === undefined) throw invalid("path", "is too long");
  return tree;
}

/** The effect as its words say it, the way that a command's analysis gives it. */
function spellingOf({ kind, path, exact, spelled }: PathEffect): PathEffect {
  return { kind, path: spelled ?? path, exact };
}

function nameAt(field: string, path: AbsolutePath, facts: Facts): AbsolutePath {
  const place = entryPlace(path, facts);
  if (place === undefined) throw invalid(field, "is too long");
  return place;
}

/** True for a folder that is no link to one. */
function isFolder(place: AbsolutePath, facts: Facts): boolean {
  try {
    const { real, kind } = facts.locate(place);
    return real === place && kind === "folder";
  } catch {
    // A link that leads nowhere is refused where the effects are located.
    return false;
  }
}

/** The folder and those above it that must be made first, the highest last. */
function missingFolders(path: AbsolutePath, facts: Facts): AbsolutePath[] {
  const found = [path];
  for (let at = parentOf(path); at !== rootPath && facts.locate(at).kind === "missing"; at = parentOf(at))
    found.push(at);
  return found;
}
