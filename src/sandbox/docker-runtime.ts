import type Docker from "dockerode";
import { Problem } from "../model/problem.ts";
import type { Features, SandboxSpec } from "../model/runtime.ts";
import { bootContainer, type BootContext } from "./boot-container.ts";
import { label } from "./labels.ts";
import { LinkedSandbox, type SandboxDefaults } from "./linked-sandbox.ts";
import { Engine } from "./engine.ts";
import { removal } from "./removal.ts";
import { removeOldVolumes } from "./trust-volume.ts";
import type { WarmRuntime, WarmSandbox } from "./warm-sandbox.ts";
import type { Accounts } from "./accounts.ts";
import { readImageAccounts } from "./image-accounts.ts";
import { type EngineEndpoint, resolveEngine } from "./engine-endpoint.ts";
import { fillInitVolume } from "./init-volume.ts";
import { probeEngine, type ProbedEngine } from "./probe-engine.ts";
import { RuntimeFolder } from "./runtime-folder.ts";
import { runtimeProblem } from "./runtime-problem.ts";

/** What a Docker runtime is made with. */
export interface DockerRuntimeOptions {
  /** Engine address as in DOCKER_HOST; undefined or empty: the usual sockets. */
  readonly engineHost?: string | undefined;
  /** Whose sockets are looked for; undefined: any. */
  readonly engine?: "docker" | "podman";
  /** Image of a sandbox that names none; `sallyport-sandbox:dev` where it is not given. */
  readonly image?: string;
  /** Folder with ca.pem, cert.pem and key.pem, as in DOCKER_CERT_PATH. */
  readonly certFolder?: string | undefined;
  /** Reaches engines at `ssh://` addresses; `ssh` of PATH where it is not given. */
  readonly sshProgram?: string;
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

/** The image that comes with Sallyport. */
const ownImage = "sallyport-sandbox:dev";

class DockerRuntime implements WarmRuntime {
  readonly name: string;
  readonly #options: DockerRuntimeOptions;
  readonly #folder: RuntimeFolder;
  readonly #defaults: SandboxDefaults;
  #engine: Engine | undefined;
  #probed: ProbedEngine | undefined;
  #initVolume: Promise<string> | undefined;
  /** By the image's id. */
  readonly #accounts = new Map<string, Promise<Accounts>>();

  constructor(options: DockerRuntimeOptions) {
    this.#options = options;
    this.name = options.ociRuntime ?? options.engine ?? "docker";
    this.#folder = new RuntimeFolder(options.runtimeFolder);
    const { timeoutMs, outputBytes } = options;
    const startDeadlineMs = options.startDeadlineMs ?? 30_000;
    this.#defaults = { timeoutMs, outputBytes, startDeadlineMs, killDeadlineMs: options.killDeadlineMs ?? 5_000 };
  }

  async probe(): Promise<Features> {
    try {
      return (await this.#probe()).features;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const passing = error.code === "unavailable" || error.code === "resource_exhausted";
      const why = { available: false, reason: error.message, passing };
      return { name: this.name, ...why, version: "", enforces: [], carrier: "attach" };
    }
  }

  async create(spec: SandboxSpec, signal: AbortSignal): Promise<WarmSandbox> {
    if (signal.aborted) throw new Problem("cancelled", "cancelled before the sandbox was made");
    const engine = this.#connect();
    const probed = this.#probed ?? (await this.#probe());
    if (!probed.features.available) throw runtimeProblem(probed.features);
    const context = this.#context(engine, probed);
    const imaged = { ...spec, image: spec.image ?? this.#options.image ?? ownImage };
    const booted = await bootContainer(context, { ...imaged, hidden: [...spec.hidden, this.#folder.hidden] }, signal);
    return new LinkedSandbox(imaged, booted, this.#defaults);
  }

  async removeOrphans(): Promise<number> {
    await this.#folder.removeOld();
    const engine = this.#connect();
    const filters = { label: [`${label.owner}=${this.#options.owner}`] };
    const found = await engine.call("list containers", (docker) => docker.listContainers({ all: true, filters }));
    const orphans = found.filter((container) => container.Labels[label.instance] !== this.#folder.instance);
    let removed = 0;
    for (const { Id } of orphans) {
      const remove = (docker: Docker): Promise<unknown> => docker.getContainer(Id).remove({ force: true, v: true });
      // Engines list some that are gone.
      if ((await removal(engine, "remove a container", remove)) !== "missing") removed += 1;
    }
    await removeOldVolumes(engine, this.#options.owner, this.#folder.instance);
    return removed;
  }

  async #probe(): Promise<ProbedEngine> {
    const probed = await probeEngine(this.#connect(), this.#options.ociRuntime, this.#options.carrier ?? "auto");
    // What is missing may be there the next time.
    if (probed.features.available) this.#probed = probed;
    return probed;
  }

  #connect(): Engine {
    const { engineHost, certFolder, userRuntimeDir, engine, sshProgram, engineDeadlineMs = 15_000 } = this.#options;
    const endpoint = (): EngineEndpoint => resolveEngine(engineHost, certFolder, userRuntimeDir, engine, sshProgram);
    this.#engine ??= new Engine(endpoint(), engineDeadlineMs);
    return this.#engine;
  }

  #accountsOf(image: string, read: () => Promise<Accounts>): Promise<Accounts> {
    const known = this.#accounts.get(image);
    if (known !== undefined) return known;
    const reading = read().catch((error: unknown) => {
      this.#accounts.delete(image);
      throw error;
    });
    this.#accounts.set(image, reading);
    return reading;
  }

  #context(engine: Engine, { features: { carrier }, traits }: ProbedEngine): BootContext {
    const { initPath, owner } = this.#options;
    const { instance } = this.#folder;
    const labels = { [label.owner]: owner, [label.instance]: instance };
    return {
      engine,
      carrier,
      traits,
      owner,
      runtimeFolder: this.#folder.path,
      instance,
      startDeadlineMs: this.#defaults.startDeadlineMs,
      initCopy: () => this.#folder.initCopy(initPath),
      accounts: (image) => this.#accountsOf(image, () => readImageAccounts(engine, image, labels)),
      accountFiles: (accounts) => this.#folder.accounts(accounts),
      holds: () => this.#folder.holds(),
      sandboxFile: (content) => this.#folder.sandboxFile(content),
      initVolume: (image) =>
        (this.#initVolume ??= fillInitVolume(engine, initPath, image, labels).catch((error: unknown) => {
          this.#initVolume = undefined;
          throw error;
        })),
    };
  }
}
