/** What a filter must know of one architecture: its number for the kernel (linux/audit.h) and those of system calls. */
export interface Architecture {
  readonly audit: number;
  /** Refused with EPERM, whatever their arguments. */
  readonly refused: readonly number[];
  /** Refused or not by their arguments. */
  readonly clone: number;
  readonly clone3: number;
  readonly ioctl: number;
  readonly personality: number;
  readonly socket: number;
}

/** Name, number on x64, number on arm64; -1: not there (asm/unistd_64.h, asm-generic/unistd.h). */
const refused: readonly (readonly [string, number, number])[] = [
  ["_sysctl", 156, -1],
  ["acct", 163, 89],
  ["add_key", 248, 217],
  ["bpf", 321, 280],
  ["chroot", 161, 51],
  ["clock_adjtime", 305, 266],
  ["clock_settime", 227, 112],
  ["create_module", 174, -1],
  ["delete_module", 176, 106],
  ["fanotify_init", 300, 262],
  ["finit_module", 313, 273],
  ["fsconfig", 431, 431],
  ["fsmount", 432, 432],
  ["fsopen", 430, 430],
  ["fspick", 433, 433],
  ["get_kernel_syms", 177, -1],
  ["get_mempolicy", 239, 236],
  ["init_module", 175, 105],
  ["io_uring_enter", 426, 426],
  ["io_uring_register", 427, 427],
  ["io_uring_setup", 425, 425],
  ["ioperm", 173, -1],
  ["iopl", 172, -1],
  ["kcmp", 312, 272],
  ["kexec_file_load", 320, 294],
  ["kexec_load", 246, 104],
  ["keyctl", 250, 219],
  ["lookup_dcookie", 212, 18],
  ["mbind", 237, 235],
  ["mount", 165, 40],
  ["mount_setattr", 442, 442],
  ["move_mount", 429, 429],
  ["move_pages", 279, 239],
  ["nfsservctl", 180, 42],
  ["open_by_handle_at", 304, 265],
  ["open_tree", 428, 428],
  ["perf_event_open", 298, 241],
  ["pidfd_getfd", 438, 438],
  ["pivot_root", 155, 41],
  ["process_vm_readv", 310, 270],
  ["process_vm_writev", 311, 271],
  ["query_module", 178, -1],
  ["quotactl", 179, 60],
  ["quotactl_fd", 443, 443],
  ["reboot", 169, 142],
  ["request_key", 249, 218],
  ["set_mempolicy", 238, 237],
  ["setdomainname", 171, 162],
  ["sethostname", 170, 161],
  ["setns", 308, 268],
  ["settimeofday", 164, 170],
  ["swapoff", 168, 225],
  ["swapon", 167, 224],
  ["sysfs", 139, -1],
  ["syslog", 103, 116],
  ["umount2", 166, 39],
  ["unshare", 272, 97],
  ["uselib", 134, -1],
  ["userfaultfd", 323, 282],
  ["ustat", 136, -1],
  ["vhangup", 153, 58],
];

/** The last number that the table was checked against (Linux 6.7, futex_requeue): whatever came later does not exist for a command. */
export const lastKnown = 456;

/** What there is a filter for, by `process.arch`. */
export const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    refused: refused.flatMap(([, x64]) => (x64 < 0 ? [] : [x64])),
    clone: 56,
    clone3: 435,
    ioctl: 16,
    personality: 135,
    socket: 41,
  },
  arm64: {
    audit: 0xc00000b7,
    refused: refused.flatMap(([, , arm64]) => (arm64 < 0 ? [] : [arm64])),
    clone: 220,
    clone3: 435,
    ioctl: 29,
    personality: 92,
    socket: 198,
  },
};
