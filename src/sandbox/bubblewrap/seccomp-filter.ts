import { answer, assemble, jump, load, type Instruction } from "./bpf.ts";
import { architectures, lastKnown } from "./syscalls.ts";

/** Offsets in struct seccomp_data (seccomp(2)). Of an argument only the low half is read: the kernel's own types are 32 bits wide there. */
const at = { number: 0, architecture: 4, argument: (index: number): number => 16 + 8 * index } as const;

/** Actions: SECCOMP_RET_ALLOW, and SECCOMP_RET_ERRNO with EPERM or ENOSYS. */
const action = { allow: 0x7fff0000, refuse: 0x00050001, unknown: 0x00050026 } as const;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET of clone(2). */
const newNamespaces = 0x7e020000;
/** Typing into the terminal that one was given: TIOCSTI and TIOCLINUX of ioctl_tty(2). */
const typing = [0x5412, 0x541c];
/** AF_VSOCK of vsock(7): leads to the hypervisor, past every network namespace. */
const vsock = 40;
/** Execution domains that programs ask for (personality(2)): Linux, UNAME26, PER_LINUX32 in both, and the query. */
const domains = [0x0, 0x0008, 0x20000, 0x20008, 0xffffffff];

/**
 * A filter for system calls that refuses what the container engines' default profile refuses to a command without capabilities: everything about mounts,
 * namespaces, modules, keys, the clock, tracing the kernel, other processes' memory, and io_uring. A call of another architecture, or newer than
 * the table, is answered as if the kernel had none. Undefined for a processor that there is no table for.
 */
export function seccompFilter(processor: string): Uint8Array | undefined {
  const architecture = architectures[processor];
  if (architecture === undefined) return undefined;
  const { audit, refused, clone, clone3, ioctl, personality, socket } = architecture;
  const program: Instruction[] = [
    load(at.architecture),
    jump("equal", audit, undefined, "unknown"),
    load(at.number),
    // The x32 calls of x64 lie far above.
    jump("greater", lastKnown, "unknown"),
    // Its flags lie in memory, where a filter cannot look; without it, libraries take clone.
    jump("equal", clone3, "unknown"),
    jump("equal", clone, "clone"),
    jump("equal", ioctl, "ioctl"),
    jump("equal", personality, "personality"),
    jump("equal", socket, "socket"),
    ...refused.map((number) => jump("equal", number, "refuse")),
    answer(action.allow, "other"),
    load(at.argument(0), "clone"),
    jump("anyBit", newNamespaces, "refuse", "allow"),
    load(at.argument(1), "ioctl"),
    ...typing.map((request) => jump("equal", request, "refuse")),
    answer(action.allow, "other ioctl"),
    load(at.argument(0), "personality"),
    ...domains.map((domain) => jump("equal", domain, "allow")),
    answer(action.refuse, "other personality"),
    load(at.argument(0), "socket"),
    jump("equal", vsock, "refuse", "allow"),
    answer(action.allow, "allow"),
    answer(action.refuse, "refuse"),
    answer(action.unknown, "unknown"),
  ];
  return assemble(program);
}
