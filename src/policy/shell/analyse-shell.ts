import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Facts } from "../../model/facts.ts";
import type { BlockWorld } from "../blocklist/block-world.ts";
import { createWork, TooMuchWork } from "../work.ts";
import { Composer } from "./compose/composer.ts";
import type { ProgramWorld } from "./programs/program-effects.ts";
import { throughLinks } from "./compose/resolve-word.ts";
import { limits } from "./limits.ts";
import type { ShellAnalysis, ShellWorld } from "./shell-analysis.ts";
import { freshState, type ShellState } from "./state/shell-state.ts";
import { invoke } from "./walk/invoke.ts";
import { runStatements } from "./walk/run-list.ts";
import { runNode } from "./walk/run-node.ts";
import { runSubstitution, runText } from "./walk/run-script.ts";
import { lookForFeared, lookThrough } from "./walk/last-look.ts";
import { type Budget, onlyChecking, opaque, type Steps, type Walk } from "./walk/walk.ts";

/** Work for the last look at a text for which no work is left. */
const lookUnits = 3000;

const steps: Steps = { statements: runStatements, node: runNode, invoke, text: runText, substitution: runSubstitution };

/**
 * Says what a bash text would do. Never throws: what goes wrong inside becomes an opaque part, and what was found until then stays. Texts over
 * the limit are opaque, but are searched for blocklist hits all the same.
 */
export function analyseShell(text: string, world: ShellWorld): ShellAnalysis {
  return analyse(text, world, (walk, state) => {
    if (text.length > limits.decidedUnits)
      opaque(walk, text, `the text is longer than ${limits.decidedUnits} characters`, "limit");
    if (text.length <= limits.parsedUnits) runText(text, state, walk);
  });
}

/** Runs a walk with everything that it needs, and gives what it found. */
export function analyse(
  text: string,
  { cwd, facts, work = createWork() }: ShellWorld,
  run: (walk: Walk, state: ShellState) => void,
): ShellAnalysis {
  const links = new Map<AbsolutePath, AbsolutePath>();
  const real = realPaths(facts, links, cwd);
  const block: BlockWorld = { homes: [facts.home, ...facts.homes], real };
  const program: ProgramWorld = { home: facts.home, homeOf: (user) => facts.homeOf(user), linked: links, real };
  const found = new Composer(block, program, links, work);
  const walk: Walk = {
    facts,
    emit: (each) => found.add(each),
    budget: freshBudget(text.length),
    work,
    source: text,
    cut: new Set(),
    depth: 0,
    inline: -1,
    calls: [],
    wrappers: [],
    span: undefined,
    real,
    links,
    steps,
  };
  try {
    work.spend(10);
    run(walk, freshState([cwd]));
  } catch (error) {
    const why = error instanceof RangeError ? "commands inside commands go too deep" : "the text could not be analysed";
    if (error instanceof TooMuchWork) opaque(walk, text, error.message, "unread");
    else {
      opaque(walk, text, why, error instanceof RangeError ? "unread" : "syntax");
      walk.cut.add(text);
    }
  }
  if (walk.cut.size > 0) lookAgain(walk, freshState([cwd]));
  const analysis = found.analysis();
  if (!work.isSpent) return analysis;
  const more = new Composer(block, program, links, createWork(lookUnits));
  lastLook(text, { ...walk, emit: (each) => more.add(each), work: createWork(lookUnits) }, freshState([cwd]));
  return { ...analysis, blocked: [...analysis.blocked, ...more.analysis().blocked] };
}

/** See {@link lookForFeared}. The walk has a count of its own. */
function lastLook(text: string, walk: Walk, state: ShellState): void {
  try {
    lookForFeared(text, state, { ...onlyChecking(walk), budget: freshBudget(text.length), cut: new Set() });
  } catch {
    // It is denied already.
  }
}

/** What was not walked is looked through without regard to what it is nested in. What is found comes on top of what was found before. */
function lookAgain(walk: Walk, state: ShellState): void {
  try {
    lookThrough(walk.cut, state, { ...walk, budget: freshBudget(2 * [...walk.cut].join("").length), cut: new Set() });
  } catch {
    // It asks already; more than looking cannot be done.
  }
}

/** `units` of text are parsed without being counted. */
function freshBudget(units: number): Budget {
  return { reparsed: -units, covered: 0, expanded: 0 };
}

/** Follows the links of the text, then those of the machine. Asks the machine once for each path. */
function realPaths(facts: Facts, links: ReadonlyMap<AbsolutePath, AbsolutePath>, cwd: AbsolutePath): Walk["real"] {
  const known = new Map<AbsolutePath, AbsolutePath | undefined>([[cwd, cwd]]);
  return (path) => {
    const start = throughLinks(path, links);
    if (!known.has(start)) known.set(start, locate(facts, start));
    return known.get(start);
  };
}

function locate(facts: Facts, path: AbsolutePath): AbsolutePath | undefined {
  try {
    return facts.locate(path).real;
  } catch {
    return undefined;
  }
}
