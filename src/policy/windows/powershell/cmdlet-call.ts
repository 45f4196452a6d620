import type { RunEffect } from "../../../model/effect.ts";
import type { Bound } from "./bind-parameters.ts";
import type { ParameterSpec } from "./cmdlet-table.ts";
import { itemsOf, textOf, type Value } from "./value.ts";

/** A cmdlet with its words told apart. */
export interface CmdletCall {
  readonly name: string;
  /** As it was written. */
  readonly program: string;
  readonly effect: RunEffect;
  readonly bound: Bound;
  readonly specs: readonly ParameterSpec[];
}

/** The values of a parameter, lists taken apart. */
export function valuesOf({ bound }: CmdletCall, name: string): readonly Value[] {
  return (bound.values.get(name) ?? []).flatMap(itemsOf);
}

/** The first text of a parameter. */
export function textFor(call: CmdletCall, name: string): string | undefined {
  return textOf(valuesOf(call, name)[0]);
}
