import {
  capabilities,
  type Capability,
  type Effect,
  type MetaCapability,
  type PathEffect,
} from "../../model/effect.ts";
import { exhausted } from "../../model/exhausted.ts";

/** What a rule must speak about to be asked about this effect. What cannot be seen counts as shell. */
export function capabilityOf(effect: Effect): Capability {
  switch (effect.kind) {
    case "run":
    case "opaque":
      return "shell";
    case "read":
      return "fs_read";
    case "write":
    case "delete":
      return "fs_write";
    case "reach":
    case "use":
      return effect.capability;
    default:
      return exhausted(effect);
  }
}

/** The capabilities that a rule's word stands for. `builtin` is everything that is not somebody else's code: not `mcp`, not `plugin`. */
export function expandCapability(name: Capability | MetaCapability): readonly Capability[] {
  switch (name) {
    case "all":
      return capabilities;
    case "builtin":
      return capabilities.filter((capability) => capability !== "mcp" && capability !== "plugin");
    case "filesystem":
      return ["fs_read", "fs_write"];
    default:
      return [name];
  }
}

/** True where patterns of this capability are file patterns; all others are text patterns. */
export function isPathCapability(capability: Capability): capability is "fs_read" | "fs_write" {
  return capability === "fs_read" || capability === "fs_write";
}

/** The patterns that a rule without `match` stands for: everything. */
export function everything(name: Capability | MetaCapability): readonly string[] {
  const expanded = expandCapability(name);
  const files = expanded.some(isPathCapability) ? ["/**"] : [];
  return expanded.every(isPathCapability) ? files : ["*", ...files];
}

/** True for the effects that are about a path. */
export function isPathEffect(effect: Effect): effect is PathEffect {
  return effect.kind === "read" || effect.kind === "write" || effect.kind === "delete";
}
