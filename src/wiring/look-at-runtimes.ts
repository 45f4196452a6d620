import { ConfigProblem, faultText } from "../config/config-fault.ts";
import type { Features } from "../model/runtime.ts";
import { Problem } from "../model/problem.ts";
import { candidates, probeRuntimes } from "../sandbox/create-runtime.ts";
import type { Look } from "./look.ts";
import { findPlaces, type Places } from "./places.ts";
import { runtimeOptions } from "./runtime-options.ts";

/** What every sandbox's limits are held by, where they are held. */
const limits = ["memory-limit", "cpu-limit", "pids-limit"];

/** What no runtime can say, because the kernel tells it to the program alone (getrlimit(2): EMFILE, EFBIG, ENOSPC). */
const untold =
  "An exit names the limit that ended a command. It cannot name these, which are errors in the program alone: too many open files, a full /tmp, and a file that grows too large where the program ignores SIGXFSZ, as Python and Node do.";

/**
 * Tries every runtime of this machine: what it enforces, and which one commands run in by the settings that are there now. Asks no server, so that it
 * helps where none starts.
 */
export async function lookAtRuntimes(env: NodeJS.ProcessEnv): Promise<Look> {
  let places: Places;
  try {
    places = findPlaces(env, {});
  } catch (error) {
    if (error instanceof ConfigProblem) return { what: "runtimes", ok: false, lines: error.faults.map(faultText) };
    if (error instanceof Problem) return { what: "runtimes", ok: false, lines: [error.message] };
    throw error;
  }
  const { runtime } = places.settings;
  const options = runtimeOptions(places, env);
  const found = await probeRuntimes(options);
  const used = candidates(runtime, options)
    .map((name) => found.find((features) => features.name === name))
    .find((features) => features?.available === true);
  const lines = found.map((features) => describe(features, features === used));
  if (used !== undefined) return { what: "runtimes", ok: true, lines: [...lines, untold] };
  return {
    what: "runtimes",
    ok: false,
    lines: [...lines, `Commands are refused: no runtime works that \`runtime: ${runtime}\` would take.`],
  };
}

function describe({ name, available, version, reason, enforces }: Features, used: boolean): string {
  if (!available) return `${name} is not there: ${reason}`;
  const loose = limits.filter((limit) => !enforces.includes(limit));
  const rest =
    loose.length === 0 ? "" : `; it cannot hold ${loose.join(", ")}, so a session that asks for one is refused`;
  return `${name} ${version} ${used ? "runs commands" : "is not used"}: ${enforces.join(", ")}${rest}`;
}
