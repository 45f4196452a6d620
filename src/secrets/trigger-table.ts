import type { Shape, Span } from "./shape.ts";

/** A struck part with the name of its shape. */
export interface Strike extends Span {
  readonly id: string;
}

interface Trigger {
  readonly literal: string;
  readonly shape: Shape;
  readonly index: number;
}

/** Finds every secret of a table of shapes in one pass. */
export interface TriggerTable {
  /** In no order, and they may overlap. */
  find(text: string): Strike[];
}

const lowerBit = 0x20;

/**
 * Makes the table. Each pair of characters that begins some literal leads to the few literals that begin so; all other places of
 * a text cost one look-up. A shape looks on only behind what it has looked at.
 */
export function triggerTable(shapes: readonly Shape[]): TriggerTable {
  const slots = new Uint8Array(128 * 128);
  const lists: Trigger[][] = [[]];
  for (const [index, shape] of shapes.entries())
    for (const literal of shape.literals) enter(slots, lists, { literal, shape, index });
  return { find: (text) => find(text, slots, lists, shapes.length) };
}

function find(text: string, slots: Uint8Array, lists: readonly (readonly Trigger[])[], shapes: number): Strike[] {
  const strikes: Strike[] = [];
  // Made at the first trigger: most texts have none.
  let resume: Uint32Array | undefined;
  let first = text.charCodeAt(0);
  for (let at = 0; at < text.length - 1; at += 1) {
    const second = text.charCodeAt(at + 1);
    const slot = first < 128 && second < 128 ? (slots[first * 128 + second] ?? 0) : 0;
    first = second;
    if (slot === 0) continue;
    for (const { literal, shape, index } of lists[slot] ?? []) {
      if (at < (resume?.[index] ?? 0) || !matches(text, at, literal, shape.anyCase)) continue;
      const found = shape.look(text, at, at + literal.length);
      resume ??= new Uint32Array(shapes);
      resume[index] = found.resume;
      for (const span of found.strike) strikes.push({ ...span, id: shape.id });
    }
  }
  return strikes;
}

function enter(slots: Uint8Array, lists: Trigger[][], trigger: Trigger): void {
  for (const first of cases(trigger.literal.charCodeAt(0), trigger.shape.anyCase))
    for (const second of cases(trigger.literal.charCodeAt(1), trigger.shape.anyCase)) {
      const place = first * 128 + second;
      if (slots[place] === 0) slots[place] = lists.push([]) - 1;
      lists[slots[place] ?? 0]?.push(trigger);
    }
}

function cases(code: number, anyCase: boolean): readonly number[] {
  return anyCase && isLowerLetter(code) ? [code, code & ~lowerBit] : [code];
}

function isLowerLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function matches(text: string, at: number, literal: string, anyCase: boolean): boolean {
  if (!anyCase) return text.startsWith(literal, at);
  for (let index = 0; index < literal.length; index += 1) {
    const code = text.charCodeAt(at + index);
    const wanted = literal.charCodeAt(index);
    if (code !== wanted && !(isLowerLetter(wanted) && (code | lowerBit) === wanted)) return false;
  }
  return true;
}
