#include "filter.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "loop.h"

/* linux/filter.h, linux/seccomp.h and linux/audit.h: not every libc's headers come with the kernel's. */
struct instruction {
  uint16_t code;
  uint8_t on_true, on_false;
  uint32_t k;
};
struct program {
  unsigned short length;
  const struct instruction *instructions;
};
#define LOAD 0x20
#define EQUAL 0x15
#define GREATER 0x25
#define ANY_BIT 0x45
#define ANSWER 0x06
#define ALLOW 0x7fff0000u
#define REFUSE 0x00050001u  /* EPERM */
#define UNKNOWN 0x00050026u /* ENOSYS */
#define NO_FAMILY 0x00050061u /* EAFNOSUPPORT */
#define AT_NUMBER 0
#define AT_ARCHITECTURE 4
/* The low half: what is compared here is 32 bits wide in the kernel, too. */
#define AT_ARGUMENT(index) (16 + 8 * (index))
#define MODE_FILTER 2

#if defined(__x86_64__)
#define ARCHITECTURE 0xc000003eu
#elif defined(__aarch64__)
#define ARCHITECTURE 0xc00000b7u
#else
#error "no filter for this architecture"
#endif

/* The last call that the list below was checked against, futex_requeue of Linux 6.7: what came later does not exist for a command. */
#define LAST_KNOWN 456
/* CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET of clone(2). */
#define NEW_NAMESPACES 0x7e020000u
/* Typing into a terminal for its reader: TIOCSTI and TIOCLINUX of ioctl_tty(2). */
#define TYPE_INPUT 0x5412
#define TYPE_LINUX 0x541c
/* TIOCSETD: another line discipline, which the kernel may load a module for. */
#define LINE_DISCIPLINE 0x5423
/* F_SETLEASE of fcntl(2): whoever opens the file outside waits for its holder, 45 seconds for each. */
#define SET_LEASE 1024
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#define SYS_io_uring_register 427
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif

/*
 * What engines refuse to a command without capabilities: mounts, namespaces, modules, keys, clocks, tracing of the kernel, other processes'
 * memory; and io_uring. Names that a libc does not know yet are written as numbers, which are the same everywhere since 424.
 */
static const int refused[] = {
    SYS_acct, SYS_add_key, SYS_bpf, SYS_chroot, SYS_clock_adjtime, SYS_clock_settime, SYS_delete_module, SYS_fanotify_init, SYS_finit_module, SYS_get_mempolicy, SYS_init_module,
    SYS_kcmp, SYS_kexec_load, SYS_keyctl, SYS_lookup_dcookie, SYS_mbind, SYS_mount, SYS_move_pages, SYS_nfsservctl, SYS_open_by_handle_at, SYS_perf_event_open, SYS_pivot_root,
    SYS_process_vm_readv, SYS_process_vm_writev, SYS_quotactl, SYS_reboot, SYS_request_key, SYS_set_mempolicy, SYS_setdomainname, SYS_sethostname, SYS_setns, SYS_settimeofday,
    SYS_swapoff, SYS_swapon, SYS_syslog, SYS_umount2, SYS_unshare, SYS_userfaultfd, SYS_vhangup, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    428 /* open_tree */, 429 /* move_mount */, 430 /* fsopen */, 431 /* fsconfig */, 432 /* fsmount */, 433 /* fspick */, 438 /* pidfd_getfd */, 442 /* mount_setattr */, 443 /* quotactl_fd */,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef __x86_64__
    SYS__sysctl, SYS_create_module, SYS_get_kernel_syms, SYS_ioperm, SYS_iopl, SYS_query_module, SYS_sysfs, SYS_uselib, SYS_ustat,
#endif
};
#define REFUSED (sizeof refused / sizeof *refused)

/*
 * These ask for a process of the same user, and for no leave to trace: a command could have init run out of descriptors, be killed for its
 * CPU time, or wait behind everybody. They fail where they name process 1, or all processes of a user.
 */
static const int first_names_process[] = {SYS_prlimit64, SYS_sched_setparam, SYS_sched_setscheduler, SYS_sched_setaffinity, SYS_sched_setattr};
#define INIT 1
/* PRIO_USER of setpriority(2), IOPRIO_WHO_USER of ioprio_set(2). */
#define PRIORITY_OF_USER 2
#define IO_PRIORITY_OF_USER 3

/* S_ISUID of inode(7); O_CREAT and the bit of its own of O_TMPFILE, open(2): without them the mode may be anything. */
#define SET_USER_ID 04000u
#define CREATES 020000100u
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define FCHMODAT2 452

/*
 * AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK: what programs need in a sandbox whose only network is its loopback. The rest is kernel code that few have looked at
 * (AF_ALG, AF_TIPC, AF_RXRPC), and vsock(7) leads to the hypervisor, past every network namespace.
 */
static const uint32_t families[] = {1, 2, 10, 16};
#define FAMILIES (sizeof families / sizeof *families)

static struct instruction code[REFUSED + 192];
static size_t length;

static void add(uint16_t what, uint32_t k, uint8_t on_true, uint8_t on_false) {
  code[length++] = (struct instruction){.code = what, .k = k, .on_true = on_true, .on_false = on_false};
}

/* Answers at once where the loaded word compares so. */
static void answer_if(uint16_t how, uint32_t k, uint32_t answer) {
  add(how, k, 0, 1);
  add(ANSWER, answer, 0, 0);
}

/* For one call, looks at one argument: refuses it where it compares so. */
static void refuse_argument(int call, int argument, uint16_t how, uint32_t k) {
  add(EQUAL, (uint32_t)call, 0, 4);
  add(LOAD, AT_ARGUMENT((uint32_t)argument), 0, 0);
  answer_if(how, k, REFUSE);
  add(LOAD, AT_NUMBER, 0, 0);
}

/* Lets a call that makes sockets make those of the families above only. */
static void only_families(int call) {
  add(EQUAL, (uint32_t)call, 0, FAMILIES + 3);
  add(LOAD, AT_ARGUMENT(0), 0, 0);
  uint8_t left = FAMILIES;
  for (size_t i = 0; i < FAMILIES; i++) add(EQUAL, families[i], left--, 0);
  add(ANSWER, NO_FAMILY, 0, 0);
  add(ANSWER, ALLOW, 0, 0);
}

/* Opens nothing that would be made with a set-user-ID bit. */
static void refuse_creation(int call, int flags) {
  add(EQUAL, (uint32_t)call, 0, 6);
  add(LOAD, AT_ARGUMENT((uint32_t)flags), 0, 0);
  add(ANY_BIT, CREATES, 0, 3);
  add(LOAD, AT_ARGUMENT((uint32_t)flags + 1), 0, 0);
  answer_if(ANY_BIT, SET_USER_ID, REFUSE);
  /* At once: nothing else asks for these, which are frequent. */
  add(ANSWER, ALLOW, 0, 0);
}

/*
 * A program with that bit in a granted folder would lend the owner's rights to every user of the machine. Nothing is said of the group's: folders of a team have it, and tools
 * give it to new ones.
 */
static void refuse_set_user_id(void) {
  refuse_argument(SYS_fchmod, 1, ANY_BIT, SET_USER_ID);
  refuse_argument(SYS_fchmodat, 2, ANY_BIT, SET_USER_ID);
  refuse_argument(FCHMODAT2, 2, ANY_BIT, SET_USER_ID);
  refuse_argument(SYS_mknodat, 2, ANY_BIT, SET_USER_ID);
  refuse_creation(SYS_openat, 2);
  /* Its mode lies in memory, where a filter cannot look; without it, programs take openat. */
  answer_if(EQUAL, SYS_openat2, UNKNOWN);
#ifdef __x86_64__
  refuse_argument(SYS_chmod, 1, ANY_BIT, SET_USER_ID);
  refuse_argument(SYS_mknod, 1, ANY_BIT, SET_USER_ID);
  refuse_argument(SYS_creat, 1, ANY_BIT, SET_USER_ID);
  refuse_creation(SYS_open, 1);
#endif
}

void filter_install(void) {
  add(LOAD, AT_ARCHITECTURE, 0, 0);
  /* Another architecture's calls would go round all this. */
  add(EQUAL, ARCHITECTURE, 1, 0);
  add(ANSWER, UNKNOWN, 0, 0);
  add(LOAD, AT_NUMBER, 0, 0);
  answer_if(GREATER, LAST_KNOWN, UNKNOWN);
  /* Its flags lie in memory, where a filter cannot look; without it, libraries take clone. */
  answer_if(EQUAL, SYS_clone3, UNKNOWN);
  refuse_argument(SYS_clone, 0, ANY_BIT, NEW_NAMESPACES);
  only_families(SYS_socket);
  only_families(SYS_socketpair);
  refuse_argument(SYS_ioctl, 1, EQUAL, TYPE_INPUT);
  refuse_argument(SYS_ioctl, 1, EQUAL, TYPE_LINUX);
  refuse_argument(SYS_ioctl, 1, EQUAL, LINE_DISCIPLINE);
  refuse_argument(SYS_fcntl, 1, EQUAL, SET_LEASE);
  refuse_set_user_id();
  for (size_t i = 0; i < sizeof first_names_process / sizeof *first_names_process; i++)
    refuse_argument(first_names_process[i], 0, EQUAL, INIT);
  refuse_argument(SYS_setpriority, 0, EQUAL, PRIORITY_OF_USER);
  refuse_argument(SYS_setpriority, 1, EQUAL, INIT);
  refuse_argument(SYS_ioprio_set, 0, EQUAL, IO_PRIORITY_OF_USER);
  refuse_argument(SYS_ioprio_set, 1, EQUAL, INIT);
  uint8_t left = REFUSED;
  for (size_t i = 0; i < REFUSED; i++) add(EQUAL, (uint32_t)refused[i], left--, 0);
  add(ANSWER, ALLOW, 0, 0);
  add(ANSWER, REFUSE, 0, 0);
  struct program program = {.length = (unsigned short)length, .instructions = code};
  if (prctl(PR_SET_SECCOMP, MODE_FILTER, &program, 0, 0) < 0) die("cannot install the filter");
}
