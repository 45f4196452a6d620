import { exhausted } from "../model/exhausted.ts";
import type { Features, SandboxLimits } from "../model/runtime.ts";
import { AutoRuntime } from "./auto-runtime.ts";
import { createBubblewrapRuntime } from "./bubblewrap/bubblewrap-runtime.ts";
import { createDockerRuntime } from "./docker-runtime.ts";
import type { WarmRuntime } from "./warm-sandbox.ts";

/** Every runtime. */
export const runtimeNames = ["docker", "podman", "bubblewrap", "runsc"] as const;

/** Name of a runtime. */
export type RuntimeName = (typeof runtimeNames)[number];

/** What runtimes are made with, whichever it is. */
export interface RuntimeOptions {
  /** Engine address as in DOCKER_HOST; undefined or empty: the usual sockets. */
  readonly engineHost: string | undefined;
  /** The same for Podman, as in CONTAINER_HOST. */
  readonly podmanHost: string | undefined;
  /** Folder with ca.pem, cert.pem and key.pem, as in DOCKER_CERT_PATH. */
  readonly certFolder: string | undefined;
  /** XDG_RUNTIME_DIR, where rootless engines listen. */
  readonly userRuntimeDir: string | undefined;
  /** A short-pathed folder of this Sallyport alone; made with mode 0700 where it is missing. */
  readonly runtimeFolder: string;
  /** The static init, `images/init/build/sallyport-init`. */
  readonly initPath: string;
  /** Who owns the sandboxes: stable for one installation, such as its state folder, so that the next start finds what a crash left. */
  readonly owner: string;
  /** Limits that nobody asked for: a runtime that cannot hold one of them says so and goes on. Any other must hold. */
  readonly defaultLimits: SandboxLimits;
  /** Default timeout and output cap of a command. */
  readonly timeoutMs: number;
  readonly outputBytes: number;
}

/** Makes the wished runtime; `auto`: the first candidate that works here, for as long as this Sallyport runs. Nothing is contacted before the first call. */
export function createRuntime(wish: "auto" | RuntimeName, options: RuntimeOptions): WarmRuntime {
  const names = candidates(wish, options);
  return wish === "auto" ? new AutoRuntime(names.map((name) => makeOne(name, options))) : makeOne(wish, options);
}

/** The runtimes that a wish allows, the best first. */
export function candidates(wish: "auto" | RuntimeName, { engineHost }: RuntimeOptions): readonly RuntimeName[] {
  if (wish !== "auto") return [wish];
  // Who names an engine wants that engine, or an error.
  const named = engineHost !== undefined && engineHost !== "";
  return named ? ["docker"] : ["docker", "podman", "bubblewrap"];
}

/** Looks at every runtime. */
export async function probeRuntimes(options: RuntimeOptions): Promise<readonly Features[]> {
  return Promise.all(runtimeNames.map(async (name) => ({ ...(await makeOne(name, options).probe()), name })));
}

function makeOne(name: RuntimeName, options: RuntimeOptions): WarmRuntime {
  switch (name) {
    case "docker":
      return createDockerRuntime({ ...options, engine: "docker" });
    case "runsc":
      return createDockerRuntime({ ...options, engine: "docker", ociRuntime: "runsc" });
    case "podman":
      return createDockerRuntime({ ...options, engine: "podman", engineHost: options.podmanHost });
    case "bubblewrap":
      return createBubblewrapRuntime(options);
    default:
      return exhausted(name);
  }
}
