import { spawnSync } from "node:child_process";
import Docker from "dockerode";
import { createBubblewrapRuntime } from "../../../src/sandbox/bubblewrap/bubblewrap-runtime.ts";
import { createDockerRuntime } from "../../../src/sandbox/docker-runtime.ts";
import type { BenchKind } from "../harness.ts";
import { PodmanService } from "../podman-service.ts";
import { SecondEngine } from "../second-engine.ts";
import { contractImage, ensureContractImage } from "./image.ts";

/** A runtime that the contract is held against. */
export interface Kind {
  readonly name: string;
  /** Whether it puts root's commands under a user that may be init's own. Where it does not, a workspace of root's is refused. */
  readonly rootMayRun: boolean;
  /** Whether commands have a name: over attach the accounts are the image's. */
  readonly named: boolean;
  /** Why it cannot run here; undefined: it can. */
  obstacle(): string | undefined;
  /** Makes it ready; what it returns is disposed of at the end. */
  open(): Promise<BenchKind & AsyncDisposable>;
}

const nothing = { [Symbol.asyncDispose]: () => Promise.resolve() };

/** An engine, and what carries its frames. */
function engine(name: string, carrier: "socket" | "attach"): Kind {
  return {
    name,
    rootMayRun: true,
    named: carrier === "socket",
    obstacle: () => undefined,
    open: async () => {
      await ensureContractImage(new Docker());
      return { ...nothing, image: contractImage, make: (options) => createDockerRuntime({ ...options, carrier }) };
    },
  };
}

/** Every runtime that Sallyport has. What this machine cannot run says why. */
export const kinds: readonly Kind[] = [
  engine("docker", "socket"),
  engine("docker over attach", "attach"),
  {
    name: "podman",
    rootMayRun: true,
    named: true,
    obstacle: () => PodmanService.obstacle(),
    open: async () => {
      const service = new PodmanService();
      await service.start();
      await ensureContractImage(service.docker);
      const { engineHost } = service;
      return {
        image: contractImage,
        make: (options) => createDockerRuntime({ ...options, engineHost }),
        [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
      };
    },
  },
  {
    name: "runsc",
    rootMayRun: false,
    named: false,
    obstacle: () =>
      spawnSync("runsc", ["--version"]).error === undefined ? SecondEngine.obstacle() : "runsc is not installed",
    open: async () => {
      const service = new SecondEngine({
        runtimes: { runsc: { path: "runsc", runtimeArgs: ["--network=none", "--platform=ptrace"] } },
      });
      await service.start();
      await ensureContractImage(service.docker);
      const { engineHost } = service;
      return {
        image: contractImage,
        make: (options) => createDockerRuntime({ ...options, engineHost, ociRuntime: "runsc" }),
        [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
      };
    },
  },
  {
    name: "bubblewrap",
    rootMayRun: true,
    named: true,
    obstacle: () => (spawnSync("bwrap", ["--version"]).error === undefined ? undefined : "bwrap is not installed"),
    open: async () => ({ ...nothing, image: "machine", make: createBubblewrapRuntime }),
  },
];
