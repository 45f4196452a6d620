import type { SandboxSpec } from "../model/runtime.ts";
import { mountKey } from "./mount-key.ts";

/** Two specs of one key are served by one sandbox. */
export function keyOf(spec: SandboxSpec): string {
  return `${spec.session} ${kindOf(spec)}`;
}

/** Two specs of one kind differ in their sessions only. */
export function kindOf(spec: SandboxSpec): string {
  const { image, workspace, scopes, hidden, guarded = [], locked = [], home, limits, authority, variables } = spec;
  const { memoryBytes, cpus, pids, tmpBytes, openFiles, fileBytes } = limits;
  return JSON.stringify([
    image,
    workspace,
    mountKey(scopes),
    [...hidden].sort(),
    guarded,
    locked,
    home,
    memoryBytes,
    cpus,
    pids,
    tmpBytes,
    openFiles,
    fileBytes,
    authority,
    variables,
  ]);
}
