import type { Action } from "./action.ts";
import type { EntryId } from "./ids.ts";
import { Problem } from "./problem.ts";

/**
 * Leave to act once. Nothing acts without one; only the gate issues them.
 *
 * The private field makes look-alikes fail to compile and forgeries fail at run time: `#action in value` is true only
 * for objects that this constructor made, and the constructor is reached only through {@link Permit.issue}, which the
 * architecture test allows in `gate/` alone.
 */
export class Permit<out A extends Action = Action> {
  readonly #action: A;
  readonly #entry: EntryId;
  #redeemed = false;

  private constructor(action: A, entry: EntryId) {
    this.#action = action;
    this.#entry = entry;
    Object.freeze(this);
  }

  /** Makes a permit. For the gate only. */
  static issue<A extends Action>(action: A, entry: EntryId): Permit<A> {
    return new Permit(action, entry);
  }

  /**
   * Takes the action out of a permit, once.
   * @throws Problem `internal` where the permit is forged, of another kind, or was used before: always a fault in Sallyport.
   */
  static redeem<A extends Action>(permit: Permit<A>, kind: NoInfer<A["kind"]>): A {
    const found: unknown = permit;
    if (typeof found !== "object" || found === null || !(#action in found))
      throw new Problem("internal", "forged permit");
    if (permit.#action.kind !== kind)
      throw new Problem("internal", `a permit for ${permit.#action.kind} cannot ${kind}`);
    if (permit.#redeemed) throw new Problem("internal", "this permit was used before");
    permit.#redeemed = true;
    return permit.#action;
  }

  /** The audit entry that was opened for this permit. */
  get entry(): EntryId {
    return this.#entry;
  }
}
