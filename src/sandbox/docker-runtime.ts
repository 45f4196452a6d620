import { randomBytes } from "node:crypto";
import { chmod, copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseAbsolutePath } from "../model/absolute-path.ts";
import { Problem } from "../model/problem.ts";
import type { Features, SandboxSpec } from "../model/runtime.ts";
import { bootContainer, type BootContext } from "./boot-container.ts";
import { label } from "./container-options.ts";
import { LinkedSandbox, type SandboxDefaults } from "./linked-sandbox.ts";
import { asEngineError, Engine } from "./engine.ts";
import type { WarmRuntime, WarmSandbox } from "./warm-sandbox.ts";
import { resolveEngine } from "./engine-endpoint.ts";
import { fillInitVolume } from "./init-volume.ts";
import { probeEngine } from "./probe-engine.ts";

/** What a Docker runtime is made with. */
export interface DockerRuntimeOptions {
  /** Engine address as in DOCKER_HOST; undefined or empty: the usual sockets. */
  readonly engineHost?: string | undefined;
  /** Folder with ca.pem, cert.pem and key.pem, as in DOCKER_CERT_PATH. */
  readonly certFolder?: string | undefined;
  /** XDG_RUNTIME_DIR, where rootless engines listen. */
  readonly userRuntimeDir?: string | undefined;
  /** A short-pathed folder of this Sallyport alone, for one-shot sockets; made with mode 0700 where it is missing. */
  readonly runtimeFolder: string;
  /** The static init, `images/init/build/sallyport-init`. */
  readonly initPath: string;
  /** Who owns the containers: stable for one installation, such as its state folder, so that the next start finds what a crash left. */
  readonly owner: string;
  /** OCI runtime such as `runsc`; undefined: the engine's default. */
  readonly ociRuntime?: string | undefined;
  /** `auto`: the unix socket where engine and sidecar share a kernel and its files, otherwise attach. */
  readonly carrier?: "auto" | "socket" | "attach";
  /** Deadline of one engine call in milliseconds; 15 s where it is not given. */
  readonly engineDeadlineMs?: number;
  /** Until init says hello, in milliseconds; 30 s where it is not given. */
  readonly startDeadlineMs?: number;
  /** Default timeout and output cap of a command. */
  readonly timeoutMs: number;
  readonly outputBytes: number;
  /** How long a killed command may take to be gone before its container is; 5 s where it is not given. */
  readonly killDeadlineMs?: number;
}

/** Sandboxes in containers of a Docker engine, or of Podman through the same API. Nothing is contacted before the first call. */
export function createDockerRuntime(options: DockerRuntimeOptions): WarmRuntime {
  return new DockerRuntime(options);
}

const instanceName = /^[0-9a-f]{16}$/;

class DockerRuntime implements WarmRuntime {
  readonly name = "docker";
  readonly #options: DockerRuntimeOptions;
  readonly #instance = randomBytes(8).toString("hex");
  readonly #defaults: SandboxDefaults;
  #engine: Engine | undefined;
  #features: Features | undefined;
  #initCopy: Promise<string> | undefined;
  #initVolume: Promise<string> | undefined;

  constructor(options: DockerRuntimeOptions) {
    this.#options = options;
    const { timeoutMs, outputBytes } = options;
    const startDeadlineMs = options.startDeadlineMs ?? 30_000;
    this.#defaults = { timeoutMs, outputBytes, startDeadlineMs, killDeadlineMs: options.killDeadlineMs ?? 5_000 };
  }

  async probe(): Promise<Features> {
    try {
      return await this.#probe();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { name: this.name, available: false, reason: error.message, version: "", enforces: [], carrier: "attach" };
    }
  }

  async create(spec: SandboxSpec, signal: AbortSignal): Promise<WarmSandbox> {
    if (signal.aborted) throw new Problem("cancelled", "cancelled before the sandbox was made");
    const engine = this.#connect();
    const features = this.#features ?? (await this.#probe());
    if (!features.available) throw new Problem("failed_precondition", features.reason);
    const context = this.#context(engine, features.carrier);
    const hidden = parseAbsolutePath(this.#options.runtimeFolder);
    if (hidden === undefined) throw new Problem("internal", "the runtime folder is no absolute path");
    const { id, link, image, remove } = await bootContainer(
      context,
      { ...spec, hidden: [...spec.hidden, hidden] },
      signal,
    );
    return new LinkedSandbox(id, spec, link, image, this.#defaults, remove);
  }

  async removeOrphans(): Promise<number> {
    await this.#removeOldFiles();
    const engine = this.#connect();
    const filters = { label: [`${label.owner}=${this.#options.owner}`] };
    const found = await engine.call("list containers", (docker) => docker.listContainers({ all: true, filters }));
    const orphans = found.filter((container) => container.Labels[label.instance] !== this.#instance);
    for (const { Id } of orphans)
      await engine.call("remove a container", async (docker) => {
        try {
          await docker.getContainer(Id).remove({ force: true });
        } catch (error) {
          // It is gone already, or going.
          const { statusCode } = asEngineError(error);
          if (statusCode !== 404 && statusCode !== 409) throw error;
        }
      });
    return orphans.length;
  }

  async #probe(): Promise<Features> {
    const features = await probeEngine(this.#connect(), this.#options.ociRuntime, this.#options.carrier ?? "auto");
    // What is missing may be there the next time.
    if (features.available) this.#features = features;
    return features;
  }

  #connect(): Engine {
    const { engineHost, certFolder, userRuntimeDir, engineDeadlineMs } = this.#options;
    this.#engine ??= new Engine(resolveEngine(engineHost, certFolder, userRuntimeDir), engineDeadlineMs ?? 15_000);
    return this.#engine;
  }

  #context(engine: Engine, carrier: "socket" | "attach"): BootContext {
    const { runtimeFolder, initPath, owner, ociRuntime } = this.#options;
    const instance = this.#instance;
    const labels = { [label.owner]: owner, [label.instance]: instance };
    return {
      engine,
      carrier,
      owner,
      ociRuntime,
      runtimeFolder: join(runtimeFolder, instance),
      instance,
      startDeadlineMs: this.#defaults.startDeadlineMs,
      initCopy: () => (this.#initCopy ??= this.#copyInit()),
      initVolume: (image) =>
        (this.#initVolume ??= fillInitVolume(engine, initPath, image, labels).catch((error: unknown) => {
          this.#initVolume = undefined;
          throw error;
        })),
    };
  }

  /** Init may lie in a folder that a scope grants; what is mounted is a copy that no command can reach. */
  async #copyInit(): Promise<string> {
    const { runtimeFolder, initPath } = this.#options;
    const own = join(runtimeFolder, this.#instance);
    try {
      await mkdir(own, { recursive: true, mode: 0o700 });
      await chmod(runtimeFolder, 0o700);
      const copy = join(own, "init");
      await copyFile(initPath, copy);
      await chmod(copy, 0o755);
      return copy;
    } catch (error) {
      this.#initCopy = undefined;
      throw new Problem(
        "failed_precondition",
        `init cannot be put into ${runtimeFolder}: run \`make\` so that ${initPath} exists`,
        { cause: error },
      );
    }
  }

  /** Sockets and copies of init of earlier starts. */
  async #removeOldFiles(): Promise<void> {
    const { runtimeFolder } = this.#options;
    const names = await readdir(runtimeFolder).catch(() => []);
    for (const name of names)
      if (instanceName.test(name) && name !== this.#instance)
        await rm(join(runtimeFolder, name), { recursive: true, force: true });
  }
}
