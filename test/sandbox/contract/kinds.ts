import { execFileSync, spawnSync } from "node:child_process";
import Docker from "dockerode";
import { createBubblewrapRuntime } from "../../../src/sandbox/bubblewrap/bubblewrap-runtime.ts";
import { createDockerRuntime, type DockerRuntimeOptions } from "../../../src/sandbox/docker-runtime.ts";
import type { WarmRuntime } from "../../../src/sandbox/warm-sandbox.ts";
import type { Bench } from "../harness.ts";
import { PodmanService } from "../podman-service.ts";
import { SecondEngine } from "../second-engine.ts";
import { contractImage, ensureContractImage } from "./image.ts";
import { containersOf } from "../list-containers.ts";

/** How a runtime is made, in a form that can be handed to another process. */
export interface Recipe {
  readonly create: "docker" | "bubblewrap";
  readonly image: string;
  readonly options: Pick<DockerRuntimeOptions, "engineHost" | "ociRuntime" | "carrier">;
}

/** A runtime that is ready to be used. */
export interface Ready extends AsyncDisposable {
  readonly recipe: Recipe;
  /** How many sandboxes of a bench there are, by the word of whoever keeps them. */
  count(bench: Bench): Promise<number>;
}

/** A runtime that the contract is held against. */
export interface Kind {
  readonly name: string;
  /** Whether it has a kernel of its own. Its init is root then, and it ends as a whole where the machine gives it no more memory or threads. */
  readonly ownKernel: boolean;
  /** Whether commands have a name: over attach the accounts are the image's. */
  readonly named: boolean;
  /** Why it cannot run here; undefined: it can. */
  obstacle(): string | undefined;
  open(): Promise<Ready>;
}

/** Makes the runtime of a recipe. */
export function makeRuntime({ create, options }: Recipe, own: DockerRuntimeOptions): WarmRuntime {
  return create === "docker" ? createDockerRuntime({ ...own, ...options }) : createBubblewrapRuntime(own);
}

/** Every runtime that Sallyport has. What this machine cannot run says why. */
export const kinds: readonly Kind[] = [
  nativeKind("docker", "socket"),
  nativeKind("docker over attach", "attach"),
  {
    name: "podman",
    ownKernel: false,
    named: true,
    obstacle: () => PodmanService.obstacle(),
    open: async () => {
      const service = new PodmanService();
      await service.start();
      return ofEngine(service.docker, { engineHost: service.engineHost }, service);
    },
  },
  {
    name: "runsc",
    ownKernel: true,
    named: false,
    obstacle: () => missing("runsc") ?? SecondEngine.obstacle(),
    open: async () => {
      const runtimeArgs = ["--network=none", "--platform=ptrace"];
      const service = new SecondEngine({ runtimes: { runsc: { path: "runsc", runtimeArgs } } });
      await service.start();
      return ofEngine(service.docker, { engineHost: service.engineHost, ociRuntime: "runsc" }, service);
    },
  },
  {
    name: "bubblewrap",
    ownKernel: false,
    named: true,
    obstacle: () => missing("bwrap"),
    open: async () => ({
      recipe: { create: "bubblewrap", image: "machine", options: {} },
      count: async (bench) => {
        const processes = execFileSync("ps", ["-e", "-o", "args"], { encoding: "utf8" }).split("\n");
        return processes.filter((line) => line.startsWith("bwrap ") && line.includes(bench.runtimeFolder)).length;
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  },
];

function nativeKind(name: string, carrier: "socket" | "attach"): Kind {
  return {
    name,
    ownKernel: false,
    named: carrier === "socket",
    obstacle: () => undefined,
    open: () => ofEngine(new Docker(), { carrier }, undefined),
  };
}

async function ofEngine(
  docker: Docker,
  options: Recipe["options"],
  service: AsyncDisposable | undefined,
): Promise<Ready> {
  await ensureContractImage(docker);
  return {
    recipe: { create: "docker", image: contractImage, options },
    count: async ({ owner }) => (await containersOf(docker, owner)).length,
    [Symbol.asyncDispose]: () => service?.[Symbol.asyncDispose]() ?? Promise.resolve(),
  };
}

function missing(program: string): string | undefined {
  return spawnSync(program, ["--version"]).error === undefined ? undefined : `${program} is not installed`;
}
