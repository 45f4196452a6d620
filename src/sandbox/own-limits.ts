import { readFileSync } from "node:fs";

/** One of `Ulimits` of the Docker Engine API. */
export interface Ulimit {
  readonly Name: string;
  readonly Soft: number;
  readonly Hard: number;
}

const lines = { nofile: /^Max open files +\S+ +(\S+)/m, nproc: /^Max processes +\S+ +(\S+)/m } as const;

/** Podman takes no more than so many processes for itself: the kernel's usual number of them. */
const most = { nofile: 1_048_576, nproc: 32_768 } as const;

/** The hard limits of this process on open files and processes (proc(5), limits): what an engine beside it may surely give. */
export function ownLimits(): readonly Ulimit[] {
  const text = readFileSync("/proc/self/limits", "utf8");
  return (["nofile", "nproc"] as const).map((Name) => {
    const hard = Number(lines[Name].exec(text)?.[1]);
    const value = Math.min(Number.isNaN(hard) ? most[Name] : hard, most[Name]);
    return { Name, Soft: value, Hard: value };
  });
}
