import type { Action } from "../model/action.ts";
import type { Decision, Settlement } from "../model/decision.ts";
import type { FileState } from "../model/gate-ports.ts";
import { canonical } from "./canonical.ts";

/** Everything that a person's answer is bound to. */
export interface Plan {
  readonly action: Action;
  readonly decision: Decision;
  readonly settlement: Settlement;
  readonly states: readonly FileState[];
}

/** Longest value that a refusal repeats. */
const longestValue = 200;

/** The plan as a text: equal exactly where nothing of it differs. Not for people: it holds values of variables. */
export function planText({ action, decision, states }: Omit<Plan, "settlement">): string {
  return canonical([...actionParts(action, decision), ...stateParts(states)]);
}

/**
 * What `now` does that the person who answered `then` did not see, in words for the caller; undefined where it is the same plan: the action is the same to the letter, but
 * for how long its folders last, the files and folders that it rests on are the same, and what still needs an answer was shown.
 */
export function planChange(then: Plan, now: Plan): string | undefined {
  const before = actionParts(then.action, then.decision);
  const after = actionParts(now.action, now.decision);
  const named = [...before.keys(), ...after.keys()].find((name) => before.get(name) !== after.get(name));
  if (named !== undefined)
    return `what would happen changed while the question waited: ${difference(named, before.get(named), after.get(named))}`;
  return statesChange(then.states, now.states) ?? openChange(then.settlement, now.settlement);
}

/** The first file or folder that is another by now, in words. */
export function statesChange(then: readonly FileState[], now: readonly FileState[]): string | undefined {
  const [before, after] = [stateParts(then), stateParts(now)];
  const changed = [...then, ...now].find((state) => before.get(keyOf(state)) !== after.get(keyOf(state)));
  if (changed === undefined) return undefined;
  return changed.kind === "folder"
    ? `a folder that it uses is another by now: ${changed.path}`
    : `the content of a file that it uses changed while the question waited: ${changed.path}`;
}

/** A rule that asks or denies what nobody was asked about. */
function openChange(then: Settlement, now: Settlement): string | undefined {
  if (now.kind !== "ask") return undefined;
  const shown = new Map(
    (then.kind === "ask" ? then.open : []).map(({ effect, rules }) => [
      canonical(effect),
      new Set(rules.map((rule) => canonical([rule.source, rule.id]))),
    ]),
  );
  for (const { effect, rules, because } of now.open) {
    const known = shown.get(canonical(effect));
    if (known === undefined)
      return `what would happen changed while the question waited: more needs an answer by now: ${because}`;
    const stricter = rules.find((rule) => rule.effect === "ask" && !known.has(canonical([rule.source, rule.id])));
    if (stricter !== undefined)
      return `the rules changed while the question waited: ${stricter.source} rule ${stricter.id} asks for it by now`;
  }
  return undefined;
}

/** The parts of an action by name. */
function actionParts(action: Action, decision: Decision): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const [name, value] of Object.entries(action)) {
    if (name === "scopes" && action.kind === "exec") {
      // How long a folder lasts is no part: an answer for always turns one that was opened once into one that a rule opens.
      for (const { root, access } of action.scopes) parts.set(`folder ${root}`, access);
    } else if (name === "env" && action.kind === "exec") {
      for (const [variable, text] of Object.entries(action.env)) parts.set(`variable ${variable}`, text);
    } else parts.set(name, canonical(value));
  }
  if (action.kind !== "exec") return parts;
  const reached = decision.findings.flatMap(({ effect }) =>
    effect.kind === "reach" ? [`${effect.host}:${effect.port}`] : [],
  );
  return parts.set("network", [...new Set(reached)].toSorted().join(" "));
}

function stateParts(states: readonly FileState[]): ReadonlyMap<string, string> {
  return new Map(states.map((state) => [keyOf(state), state.state]));
}

function keyOf({ kind, path }: FileState): string {
  return `${kind} ${path}`;
}

/** Values of variables are for nobody, and a body is too much. */
function difference(name: string, before: string | undefined, after: string | undefined): string {
  const shown = (value: string | undefined): string => (value === undefined ? "absent" : value);
  const harmless = !name.startsWith("variable ") && name !== "body" && name !== "headers";
  const short = Math.max(shown(before).length, shown(after).length) <= longestValue;
  return harmless && short ? `${name} was ${shown(before)}, is ${shown(after)}` : `${name} is another`;
}
