import { existsSync, readFileSync } from "node:fs";
import { release } from "node:os";
import { Problem } from "../model/problem.ts";
import type { Features } from "../model/runtime.ts";
import { asEngineError, type Engine } from "./engine.ts";
import type { EngineTraits } from "./engine-traits.ts";

/** The fields of the engine's info that matter here (Docker Engine API, SystemInfo). */
interface Info {
  readonly OSType?: string;
  readonly KernelVersion?: string;
  readonly OperatingSystem?: string;
  readonly ServerVersion?: string;
  readonly MemoryLimit?: boolean;
  readonly CpuCfsQuota?: boolean;
  readonly PidsLimit?: boolean;
  readonly SecurityOptions?: readonly string[];
  readonly Runtimes?: Readonly<Record<string, unknown>>;
  /** Podman alone names its builder. */
  readonly BuildahVersion?: string;
  readonly Rootless?: boolean;
  readonly CgroupVersion?: string;
}

/** An engine, looked at. */
export interface ProbedEngine {
  readonly features: Features;
  readonly traits: EngineTraits;
}

/** Asks an engine what it is and what it can enforce. @throws Problem where it does not answer. */
export async function probeEngine(
  engine: Engine,
  ociRuntime: string | undefined,
  carrier: "auto" | "socket" | "attach",
): Promise<ProbedEngine> {
  const info = await askInfo(engine);
  if (info.OSType !== "linux")
    throw new Problem(
      "failed_precondition",
      `the container engine runs ${info.OSType ?? "an unknown system"} containers: Linux ones are needed`,
    );
  const enforces = ["no-network", "no-capabilities", "read-only-root"];
  if ((info.SecurityOptions ?? []).some((option) => option.includes("seccomp"))) enforces.push("seccomp");
  // Control groups of the first version are root's alone; Podman says what the kernel has, and ignores limits without a word.
  const limits = !(traitsOf(info).rootless && info.CgroupVersion === "1");
  if (limits && info.MemoryLimit === true) enforces.push("memory-limit");
  if (limits && info.CpuCfsQuota === true) enforces.push("cpu-limit");
  if (limits && info.PidsLimit === true) enforces.push("pids-limit");
  const missing = required.filter((name) => !enforces.includes(name));
  const unknownRuntime = ociRuntime !== undefined && info.Runtimes?.[ociRuntime] === undefined;
  const traits = { ...traitsOf(info), ociRuntime };
  const features: Features = {
    name: ociRuntime ?? traits.kind,
    available: missing.length === 0 && !unknownRuntime,
    reason: unknownRuntime
      ? `the container engine has no runtime ${ociRuntime}: install it and name it in the engine's configuration`
      : missing.length > 0
        ? `the container engine cannot enforce ${missing.join(", ")}: enable them in the kernel and the engine`
        : "",
    version: info.ServerVersion ?? "",
    enforces,
    // An OCI runtime with a kernel of its own has no way to the socket.
    carrier: carrier !== "auto" ? carrier : ociRuntime === undefined ? chooseCarrier(engine, info) : "attach",
  };
  return { features, traits };
}

/** @throws Problem `unavailable` also where the engine has failed to say it: that may pass, a refusal may not. */
async function askInfo(engine: Engine): Promise<Info> {
  try {
    return await engine.call("info", async (docker): Promise<Info> => docker.info() as Promise<Info>);
  } catch (error) {
    if (!(error instanceof Problem) || (asEngineError(error.cause).statusCode ?? 0) < 500) throw error;
    throw new Problem("unavailable", error.message, { cause: error.cause });
  }
}

function traitsOf({ BuildahVersion, Rootless, SecurityOptions = [] }: Info): Omit<EngineTraits, "ociRuntime"> {
  const says = (name: string): boolean => SecurityOptions.some((option) => option.split(",").includes(`name=${name}`));
  return {
    kind: BuildahVersion === undefined ? "docker" : "podman",
    rootless: Rootless === true || says("rootless"),
    remapped: says("userns"),
  };
}

const required = [
  "no-network",
  "no-capabilities",
  "read-only-root",
  "seccomp",
  "memory-limit",
  "cpu-limit",
  "pids-limit",
];

/** The socket needs one kernel and one file system: not a virtual machine, not another host, not a sidecar that is in a container itself. */
function chooseCarrier(engine: Engine, info: Info): "socket" | "attach" {
  const near = engine.endpoint.kind === "unix" && info.KernelVersion === release();
  const desktop = info.OperatingSystem?.includes("Desktop") === true;
  return near && !desktop && !isContained() ? "socket" : "attach";
}

/** Whether this process sees a container's file system. The mark alone is not enough: some virtual machines are made of images and keep it. */
function isContained(): boolean {
  if (!existsSync("/.dockerenv") && !existsSync("/run/.containerenv")) return false;
  const root = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .find((fields) => fields[1] === "/");
  return root?.[2] === "overlay" || root?.[2] === "fuse.fuse-overlayfs";
}
