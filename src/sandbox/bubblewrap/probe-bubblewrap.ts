import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Features } from "../../model/runtime.ts";
import { confinement, type Rights } from "./bubblewrap-arguments.ts";
import type { Cgroups } from "./cgroups.ts";
import { isScarcity, startBubblewrap } from "./start-bubblewrap.ts";

/** What a probe is made with. */
export interface ProbeContext {
  readonly program: string;
  readonly rights: Rights;
  readonly cgroups: Cgroups;
}

/** A trial takes milliseconds; one that stands still has failed. */
const deadlineMs = 15_000;

/** Bounds of the trial: it must fit, and it must be bounded for the try to be true. */
const trialLimits = { memoryBytes: 64 * 1024 * 1024, cpus: 1, pids: 16, tmpBytes: 1024 * 1024 };

/**
 * Says whether bubblewrap can make sandboxes here, and what they enforce. By a true try: kernels and distributions forbid user namespaces, network
 * namespaces and groups in many ways, and none of them tells.
 */
export async function probeBubblewrap(context: ProbeContext): Promise<Features> {
  const { program, rights, cgroups } = context;
  const version = await versionOf(program);
  if (version instanceof Error) return unusable(program, version);
  const failure = await tryOut(context);
  if (failure !== undefined)
    return missing(
      `bubblewrap cannot make a sandbox here (${failure}): allow this user its namespaces, or use a container engine`,
      version,
    );
  return {
    ...missing("", version),
    available: true,
    enforces: [
      "no-network",
      "no-capabilities",
      "read-only-root",
      // Init's own.
      "seccomp",
      ...cgroups.controllers.map((controller) => `${controller}-limit`),
      ...(cgroups.controllers.includes("pids") || rights === "root" ? [] : ["pids-limit"]),
    ],
  };
}

/** Features of a bubblewrap that cannot be used. */
export function missing(reason: string, version = ""): Features {
  return { name: "bubblewrap", available: false, reason, version, enforces: [], carrier: "socket" };
}

async function versionOf(program: string): Promise<string | Error> {
  try {
    const { stdout } = await promisify(execFile)(program, ["--version"], {
      timeout: deadlineMs,
      killSignal: "SIGKILL",
    });
    return stdout.trim().split(" ").at(-1) ?? "";
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function unusable(program: string, error: Error): Features {
  if (isScarcity(error)) return { ...missing(`${program} cannot be run now: ${error.message}`), passing: true };
  return missing(`there is no ${program}: install it (Debian and Ubuntu: apt-get install bubblewrap)`);
}

/** Runs nothing in a sandbox like any other. Returns why that failed. */
async function tryOut({ program, rights, cgroups }: ProbeContext): Promise<string | undefined> {
  const root = ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"];
  const words = [...confinement(rights), ...root, "--", "/bin/true"];
  const cgroup = await cgroups.make(trialLimits);
  try {
    const trial = await startBubblewrap(program, words, cgroup.entrances);
    const timer = setTimeout(() => trial.kill(), deadlineMs);
    const { status, said } = await trial.ended;
    clearTimeout(timer);
    return status === "0" ? undefined : said === "" ? `status ${status}` : said;
  } finally {
    await cgroup.remove();
  }
}
