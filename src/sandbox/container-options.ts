import type Docker from "dockerode";
import type { Accounts } from "./accounts.ts";
import type { Making } from "./boot-container.ts";
import type { ImagedSpec } from "./imaged-spec.ts";
import { isInside } from "../model/absolute-path.ts";
import { initVolumeInside } from "./init-volume.ts";
import { type EngineTraits, initStandsApart, type UserMapping } from "./engine-traits.ts";
import { label } from "./labels.ts";
import type { MountPlan, PlannedMount } from "./mount-plan.ts";
import { ownLimits } from "./own-limits.ts";
import { ownFolder } from "./plan-mounts.ts";
import { trustVolumeInside } from "./trust-volume.ts";
import { authoritiesInside } from "./trusted-authorities.ts";

/** Where init and its one-shot socket are inside, where they are mounted from this machine. */
export const initInside = `${ownFolder}/init`;
export const socketInside = `${ownFolder}/stream`;

/** Where init comes from. */
export type InitSource =
  /** Paths on a machine that the engine shares: init is mounted, and connects to the socket. The accounts are files, too. */
  | {
      readonly kind: "shared";
      readonly init: string;
      readonly socket: string;
      readonly accounts: Accounts;
      /** A file with the authorities that programs are to trust; undefined: those of the image. */
      readonly authorities?: string | undefined;
    }
  /** Volumes of the engine, the second with the authorities that programs are to trust: init speaks over its standard streams. */
  | { readonly kind: "volume"; readonly name: string; readonly authorities?: string | undefined };

/** Options of a container, which has an image. */
export type ContainerOptions = Docker.ContainerCreateOptions & { readonly Image: string };

/** What else goes into a container's options. */
export interface ContainerSetup {
  readonly plan: MountPlan;
  readonly traits: EngineTraits;
  readonly user: UserMapping;
  /** Folders that the image declares as volumes: each would be writable and unbounded otherwise. */
  readonly imageVolumes: readonly string[];
  readonly owner: string;
  readonly instance: string;
  readonly init: InitSource;
}

/** What init keeps where it is another user than commands: it makes them who they are, and ends them. None of it is handed on. */
const initCapabilities = ["CHOWN", "KILL", "SETGID", "SETPCAP", "SETUID"];

/** A kernel of its own needs threads of the machine's: for each process that it runs, and for itself. Without them it ends, with everything in it. */
const threadsEach = 8;
const threadsOwn = 256;

/** Bytes of `/dev/shm`: what engines give. */
const shmBytes = 64 * 1024 * 1024;

/** Microseconds in which a container may use its share of CPU time; the kernel's default. */
const cpuPeriod = 100_000;

/** The options of a container's making. */
export function optionsOf({ context, spec, plan, user, image }: Making, init: InitSource): ContainerOptions {
  const { traits, owner, instance } = context;
  return containerOptions(spec, { plan, traits, user, imageVolumes: image.volumes, owner, instance, init });
}

/** The options of a hardened container (design, section 6). */
export function containerOptions(spec: ImagedSpec, setup: ContainerSetup): ContainerOptions {
  const { plan, init, user, traits } = setup;
  const attached = init.kind === "volume";
  const apart = initStandsApart(traits.ociRuntime);
  return {
    Image: spec.image,
    Entrypoint: [attached ? `${initVolumeInside}/init` : initInside],
    Cmd: [...(apart ? ["--commands", `${user.uid}:${user.gid}`] : []), ...(attached ? [] : [socketInside])],
    Env: [],
    User: apart ? "0:0" : `${user.uid}:${user.gid}`,
    WorkingDir: "/",
    // Init obeys its stream alone: an engine that stops would wait for it in vain.
    StopSignal: "SIGKILL",
    Hostname: "sandbox",
    Tty: false,
    OpenStdin: attached,
    StdinOnce: attached,
    AttachStdin: attached,
    AttachStdout: attached,
    AttachStderr: attached,
    NetworkDisabled: true,
    // An image's own health check would run commands beside init.
    Healthcheck: { Test: ["NONE"] },
    Labels: { [label.owner]: setup.owner, [label.instance]: setup.instance, [label.session]: spec.session },
    HostConfig: {
      AutoRemove: true,
      Privileged: false,
      CapDrop: ["ALL"],
      ...(apart ? { CapAdd: initCapabilities } : {}),
      SecurityOpt: ["no-new-privileges:true"],
      ReadonlyRootfs: true,
      NetworkMode: "none",
      IpcMode: "private",
      ...(user.usernsMode === "" ? {} : { UsernsMode: user.usernsMode }),
      LogConfig: { Type: "none", Config: {} },
      RestartPolicy: { Name: "no" },
      Memory: spec.limits.memoryBytes,
      MemorySwap: spec.limits.memoryBytes,
      // Not NanoCpus: engines refuse that where it is more than the machine has.
      CpuPeriod: cpuPeriod,
      CpuQuota: Math.max(1000, Math.round(spec.limits.cpus * cpuPeriod)),
      PidsLimit: apart ? spec.limits.pids * threadsEach + threadsOwn : spec.limits.pids,
      OomScoreAdj: 500,
      // Podman takes the kernel's maximum where nothing is said, and may not be allowed to give that.
      Ulimits: [{ Name: "core", Soft: 0, Hard: 0 }, ...(setup.traits.kind === "podman" ? ownLimits() : [])],
      Tmpfs: tmpfs(spec, setup),
      Mounts: [...plan.mounts.flatMap(bind), ...initMounts(init)],
      ...(traits.ociRuntime === undefined ? {} : { Runtime: traits.ociRuntime }),
    },
  };
}

function initMounts(init: InitSource): Docker.MountConfig {
  if (init.kind === "shared") {
    const { passwd, group } = init.accounts;
    return [
      file(init.init, initInside),
      file(init.socket, socketInside),
      file(passwd, "/etc/passwd"),
      file(group, "/etc/group"),
      ...(init.authorities === undefined ? [] : [file(init.authorities, authoritiesInside)]),
    ];
  }
  return [
    volume(init.name, initVolumeInside),
    ...(init.authorities === undefined ? [] : [volume(init.authorities, trustVolumeInside)]),
  ];
}

function tmpfs(spec: ImagedSpec, setup: ContainerSetup): Record<string, string> {
  const { uid, gid } = setup.user;
  const podman = setup.traits.kind === "podman";
  // Podman copies what lies below into it: of a hidden folder, what is to be hidden.
  const always = `nosuid,nodev${podman ? ",notmpcopyup" : ""}`;
  // Some runtimes give it the mode that the image's folder has, so it must be the user's. Podman gives it to nobody; inside there is one user only.
  const own = `rw,exec,${always},${room(spec.limits.tmpBytes, setup)}${podman ? "" : `,uid=${uid},gid=${gid}`}`;
  const nothing = `ro,noexec,${always},size=4k,mode=0555`;
  const homeMode = podman ? "0777" : "0700";
  const found: Record<string, string> = {};
  if (countsFiles(setup)) found["/dev/shm"] = `rw,noexec,${always},${room(shmBytes, setup)},mode=1777`;
  const taken = new Set<string>(setup.plan.mounts.map((mount) => mount.target));
  const granted = setup.plan.mounts.some((mount) => mount.kind === "folder" && isInside(mount.target, spec.home));
  if (!granted && spec.home !== "/") found[spec.home] = `${own},mode=${homeMode}`;
  for (const folder of ["/tmp", ...setup.imageVolumes]) if (!taken.has(folder)) found[folder] ??= `${own},mode=1777`;
  for (const mount of setup.plan.mounts) if (mount.kind === "mask-folder") found[mount.target] = nothing;
  // Podman makes them writable and as large as memory.
  if (podman) for (const folder of ["/run", "/var/tmp"]) if (!taken.has(folder)) found[folder] ??= nothing;
  return found;
}

/** Whether a file system in memory can be told how many files it holds. Podman refuses the option, and other runtimes may. */
function countsFiles({ traits }: ContainerSetup): boolean {
  return traits.kind === "docker" && traits.ociRuntime === undefined;
}

/** Empty files take no room, but a kilobyte of memory each, which is the sandbox's. With content a file takes a page: the count stops none of these. */
function room(bytes: number, setup: ContainerSetup): string {
  return `size=${bytes}${countsFiles(setup) ? `,nr_inodes=${Math.max(4096, Math.ceil(bytes / 2048))}` : ""}`;
}

function bind(mount: PlannedMount): Docker.MountConfig {
  if (mount.kind !== "folder") return mount.kind === "mask-file" ? [file("/dev/null", mount.target)] : [];
  const { source: Source, target: Target, readOnly: ReadOnly } = mount;
  // Read-only does not reach what is mounted below on older engines, so that is not shown at all.
  const BindOptions = { Propagation: "rprivate" as const, ...(ReadOnly ? { NonRecursive: true } : {}) };
  return [{ Type: "bind", Source, Target, ReadOnly, BindOptions }];
}

function volume(name: string, target: string): Docker.MountSettings {
  return { Type: "volume", Source: name, Target: target, ReadOnly: true };
}

function file(source: string, target: string): Docker.MountSettings {
  return { Type: "bind", Source: source, Target: target, ReadOnly: true, BindOptions: { Propagation: "rprivate" } };
}
