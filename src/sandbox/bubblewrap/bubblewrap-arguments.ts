import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isInside } from "../../model/absolute-path.ts";
import { exhausted } from "../../model/exhausted.ts";
import type { ImagedSpec } from "../imaged-spec.ts";
import { initInside, socketInside } from "../container-options.ts";
import type { MountPlan, PlannedMount } from "../mount-plan.ts";
import type { RootEntry } from "./root-folder.ts";

/** Whose rights bwrap has. */
export type Rights =
  /** Root's: it mounts as root, and init becomes the workspace's owner. */
  | "root"
  /** The user's own, in a user namespace. */
  | "user";

/** What else goes into bwrap's arguments. */
export interface BubblewrapSetup {
  readonly rights: Rights;
  readonly plan: MountPlan;
  readonly root: readonly RootEntry[];
  /** Copies that no command can change: init, and a file with nothing in it. */
  readonly init: string;
  readonly empty: string;
  readonly socket: string;
  /** Files made for the sandbox, and what it is shown of its control groups. */
  readonly shown: readonly { readonly source: string; readonly target: string }[];
  /** What no control group holds: bounds of each process, and of processes in the user namespace. */
  readonly limits: { readonly dataBytes?: number; readonly processes?: number };
}

/** Namespaces and the terminal, of every sandbox: the same as a container's. */
const apart =
  "--unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try --as-pid-1 --die-with-parent --new-session --clearenv".split(
    " ",
  );

/** What init needs to become the workspace's owner; it gives up all of them. */
const borrowed = "--cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP --cap-add CAP_CHOWN".split(" ");

/** Confines a sandbox, and the trial that a probe makes. */
export function confinement(rights: Rights): string[] {
  const user = rights === "user" ? ["--unshare-user"] : [];
  return [...apart, ...user, "--hostname", "sandbox", "--cap-drop", "ALL"];
}

/** bwrap's arguments for a sandbox (bwrap(1)): an empty root, then what is shown, in the order in which it is to be mounted. */
export function bubblewrapArguments(spec: ImagedSpec, setup: BubblewrapSetup): string[] {
  const { rights, plan, root, init, socket, empty } = setup;
  const taken = new Set<string>(plan.mounts.map(({ target }) => target));
  const granted = plan.mounts.some((mount) => mount.kind === "folder" && isInside(mount.target, spec.home));
  const homes = granted || spec.home === "/" ? [] : [spec.home];
  const files = [{ source: init, target: initInside }, { source: socket, target: socketInside }, ...setup.shown];
  return [
    ...confinement(rights),
    ...(rights === "root" ? borrowed : []),
    ...root.flatMap(rootArguments),
    "--proc",
    "/proc",
    ...setInProc.filter((path) => existsSync(path)).flatMap((path) => ["--ro-bind", path, path]),
    ...maskedInProc.filter((path) => existsSync(path)).flatMap((path) => ["--ro-bind", empty, path]),
    "--dev",
    "/dev",
    ...tmpfs("/dev/shm", shmBytes, "1777"),
    ...(taken.has("/tmp") ? [] : tmpfs("/tmp", spec.limits.tmpBytes, "1777")),
    ...homes.flatMap((home) => tmpfs(home, spec.limits.tmpBytes, "0700")),
    ...plan.mounts.flatMap((mount) => mountArguments(mount, empty)),
    ...files.flatMap(({ source, target }) => [...parents(target), "--ro-bind", source, target]),
    ..."--remount-ro /dev --remount-ro / --chdir / --".split(" "),
    initInside,
    ...initArguments(setup, homes),
    socketInside,
  ];
}

/** What no engine does for init here (`images/init/setup.h`). */
function initArguments({ rights, plan, limits }: BubblewrapSetup, homes: readonly string[]): string[] {
  const { uid, gid } = plan.user;
  const option = (name: string, value: number | undefined): string[] =>
    value === undefined ? [] : [name, String(value)];
  return [
    ...(rights === "root" ? ["--user", `${uid}:${gid}`, ...homes.flatMap((home) => ["--own", home])] : []),
    ...option("--data", limits.dataBytes),
    ...option("--processes", limits.processes),
  ];
}

/** As large as engines make it. */
const shmBytes = 64 * 1024 * 1024;

/**
 * What sets the kernel, and what tells of its memory, keys and timers: read-only and masked, as engines do it. bwrap itself leaves `/proc/sys` writable for
 * root, who could name a program there that the kernel then runs outside.
 */
const setInProc = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"];
const maskedInProc = ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/latency_stats", "/proc/sched_debug"];

function tmpfs(target: string, bytes: number, mode: string): string[] {
  return [...parents(target), "--size", String(bytes), "--perms", mode, "--tmpfs", target];
}

/** Folders on the way, which bwrap would otherwise make for their owner alone. */
function parents(path: string): string[] {
  const parent = dirname(path);
  return parent === "/" ? [] : [...parents(parent), "--perms", "0755", "--dir", parent];
}

function rootArguments(entry: RootEntry): string[] {
  return entry.kind === "link"
    ? ["--symlink", entry.to, entry.target]
    : [...parents(entry.target), "--ro-bind", entry.source, entry.target];
}

function mountArguments(mount: PlannedMount, empty: string): string[] {
  const way = parents(mount.target);
  switch (mount.kind) {
    case "folder":
      return [...way, mount.readOnly ? "--ro-bind" : "--bind", mount.source, mount.target];
    case "mask-file":
      return [...way, "--ro-bind", empty, mount.target];
    case "mask-folder":
      return [...way, "--size", "4096", "--perms", "0555", "--tmpfs", mount.target, "--remount-ro", mount.target];
    default:
      return exhausted(mount);
  }
}
