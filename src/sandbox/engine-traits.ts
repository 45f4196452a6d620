import { Problem } from "../model/problem.ts";
import type { UserId } from "./mount-plan.ts";

/** In what an engine differs from a Docker Engine that root runs. */
export interface EngineTraits {
  readonly kind: "docker" | "podman";
  /** It runs as an ordinary user, and maps users: what is its own user outside is root inside. */
  readonly rootless: boolean;
  /** Root runs it, and it maps users (`userns-remap` of dockerd(8)). */
  readonly remapped: boolean;
  /** OCI runtime that was asked for; undefined: the engine's default. */
  readonly ociRuntime: string | undefined;
}

/** OCI runtimes whose containers have a Linux kernel, the machine's or one of their own. */
const linux = /^(crun|runc|youki|kata.*|io\.containerd\.(runc|kata)\..*)$/;

/**
 * Whether init must be another user than commands. Linux keeps a process from what its own user's PID 1 holds; gVisor lets it read init's descriptors
 * and end it.
 */
export function initStandsApart(ociRuntime: string | undefined): boolean {
  return ociRuntime !== undefined && !linux.test(ociRuntime);
}

/** Who commands run as inside, and what has to be said to the engine for it. */
export interface UserMapping extends UserId {
  /** `UsernsMode` of the Docker Engine API; empty: the engine's own way. */
  readonly usernsMode: string;
}

/**
 * Finds the user inside who is `owner` outside, so that what commands write belongs to the workspace's owner. `self`: the user that this process runs as,
 * and thereby a rootless engine's.
 * @throws Problem `failed_precondition` where nobody inside is he
 */
export function mapUser(traits: EngineTraits, owner: UserId, self: number): UserMapping {
  if (initStandsApart(traits.ociRuntime) && (owner.uid === 0 || traits.rootless))
    throw refuse(`it belongs to the user who guards commands under ${traits.ociRuntime}: give it to another`);
  if (!traits.rootless) return { ...owner, usernsMode: traits.remapped ? "host" : "" };
  if (owner.uid !== self)
    throw refuse(
      `it belongs to user ${owner.uid}, whom a rootless engine of user ${self} cannot be: give it to ${self}, or use an engine that root runs`,
    );
  // Podman can keep the user's number; a rootless Docker Engine knows him as root, without a single capability.
  return traits.kind === "podman" ? { ...owner, usernsMode: "keep-id" } : { uid: 0, gid: 0, usernsMode: "" };
}

function refuse(reason: string): Problem {
  return new Problem("failed_precondition", `workspace: ${reason}`, { field: "workspace" });
}
