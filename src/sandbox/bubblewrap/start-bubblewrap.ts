import { type ChildProcess, spawn } from "node:child_process";
import { Problem } from "../../model/problem.ts";

/** A started bwrap. */
export interface Started {
  /** Resolves when it has ended, with its status and what it said last on standard error. */
  readonly ended: Promise<{ readonly status: string; readonly said: string }>;
  readonly pid: number;
  /** Ends it, and with it everything in its sandbox. */
  kill(): void;
}

/** Enough for the one line that bwrap says. */
const maxSaid = 2000;

/** Joins the groups first, so that nothing of the sandbox ever runs outside of them. */
const joinGroups = 'while [ "$1" != -- ]; do echo 0 > "$1" || exit 70; shift; done; shift; exec "$@"';

/**
 * Starts bwrap inside the given control groups. It dies with this process.
 * @throws Problem `failed_precondition` where there is no shell, `resource_exhausted` where no process can be started now; whether there is a bwrap,
 * its end tells
 */
export async function startBubblewrap(
  program: string,
  words: readonly string[],
  entrances: readonly string[],
): Promise<Started> {
  const child = spawn("/bin/sh", ["-c", joinGroups, "sh", ...entrances, "--", program, ...words], {
    cwd: "/",
    // Nothing of the sidecar's, but where to find bwrap.
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = watch(child);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) => {
      const code = isScarcity(cause) ? "resource_exhausted" : "failed_precondition";
      reject(new Problem(code, `/bin/sh cannot be run: ${cause.message}`, { cause }));
    });
  });
  return { ended, pid: child.pid ?? 0, kill: () => void child.kill("SIGKILL") };
}

/** Whether a program was not started for want of processes, memory or descriptors: it may be started later. */
export function isScarcity(error: Error): boolean {
  return "code" in error && (error.code === "EAGAIN" || error.code === "ENOMEM" || error.code === "EMFILE");
}

function watch(child: ChildProcess): Started["ended"] {
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-maxSaid);
  });
  return new Promise((resolve) => {
    child.once("close", (code, signal) => resolve({ status: String(signal ?? code), said: said.trim() }));
    child.once("error", (error) => resolve({ status: error.message, said: "" }));
  });
}

/** Says why a sandbox ended before its init was there. */
export function earlyEnd({ status, said }: Awaited<Started["ended"]>): Problem {
  return new Problem(
    "failed_precondition",
    `the sandbox ended before init connected (status ${status}): ${said === "" ? "is init built for this machine?" : said}`,
  );
}
