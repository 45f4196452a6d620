import type { Effect } from "../../../model/effect.ts";
import { exhausted } from "../../../model/exhausted.ts";
import type { Forms } from "./forms.ts";

/** Effects, each once, in the order in which they came. */
export class EffectSet<E extends Effect> {
  readonly #texts = new Map<string, Set<string>>();
  readonly #list: E[] = [];

  get list(): readonly E[] {
    return this.#list;
  }

  /** `around`: the wrappers of a run, which are a part of what it is. */
  add(effect: E, around?: Forms): void {
    const group = groupOf(effect, around);
    let texts = this.#texts.get(group);
    if (texts === undefined) this.#texts.set(group, (texts = new Set()));
    const text = textOf(effect);
    if (texts.has(text)) return;
    texts.add(text);
    this.#list.push(effect);
  }

  has(effect: Effect): boolean {
    return this.#texts.get(groupOf(effect))?.has(textOf(effect)) === true;
  }
}

/** What an effect is apart from its text. Texts may be long and shared by many: they are kept as they are, not copied into longer keys. */
function groupOf(effect: Effect, around?: Forms): string {
  switch (effect.kind) {
    case "run": {
      const how = effect.readOnly === true ? "run reading" : effect.dynamic === true ? "run unknown" : "run";
      return around === undefined ? how : `${how} ${around.key}`;
    }
    case "read":
      return effect.exact ? "read" : "read some";
    case "write":
      return effect.exact ? "write" : "write some";
    case "delete":
      return effect.exact ? "delete" : "delete some";
    case "reach":
      return `reach ${effect.port}`;
    case "use":
      return "use";
    case "opaque":
      return `opaque ${effect.cause} ${effect.why}`;
    default:
      return exhausted(effect);
  }
}

function textOf(effect: Effect): string {
  switch (effect.kind) {
    case "run":
    case "opaque":
      return effect.text;
    case "read":
    case "write":
    case "delete":
      return effect.path;
    case "reach":
      return effect.host;
    case "use":
      return effect.name;
    default:
      return exhausted(effect);
  }
}
