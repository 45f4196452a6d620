import { Problem } from "../model/problem.ts";

/** In what an engine differs from a Docker Engine that root runs. */
export interface EngineTraits {
  readonly kind: "docker" | "podman";
  /** It runs as an ordinary user, and maps users: what is its own user outside is root inside. */
  readonly rootless: boolean;
  /** Root runs it, and it maps users (`userns-remap` of dockerd(8)). */
  readonly remapped: boolean;
}

/** Who commands run as, and what has to be said to the engine for it. */
export interface UserMapping {
  /** As inside. */
  readonly uid: number;
  readonly gid: number;
  /** `UsernsMode` of the Docker Engine API; empty: the engine's own way. */
  readonly usernsMode: string;
}

/**
 * Finds the user inside who is `owner` outside, so that what commands write belongs to the workspace's owner. `self`: the user that this process runs as,
 * and thereby a rootless engine's.
 * @throws Problem `failed_precondition` where nobody inside is he
 */
export function mapUser(traits: EngineTraits, owner: { uid: number; gid: number }, self: number): UserMapping {
  if (!traits.rootless) return { ...owner, usernsMode: traits.remapped ? "host" : "" };
  if (owner.uid !== self)
    throw new Problem(
      "failed_precondition",
      `workspace: it belongs to user ${owner.uid}, whom a rootless engine of user ${self} cannot be: give it to ${self}, or use an engine that root runs`,
      { field: "workspace" },
    );
  // Podman can keep the user's number; a rootless Docker Engine knows him as root, without a single capability.
  return traits.kind === "podman" ? { ...owner, usernsMode: "keep-id" } : { uid: 0, gid: 0, usernsMode: "" };
}
