/*
 * A command that tries to get out of its sandbox, or at the init that guards it. Prints one line for each try: its name, then FAILED, or
 * SUCCEEDED where it got what it must not get.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

static void tried(const char *name, long result) { printf("%s %s\n", name, result < 0 ? "FAILED" : "SUCCEEDED"); }

static long opened(const char *path, int flags) {
  char byte;
  int fd = open(path, flags | O_CLOEXEC);
  /* Some files can be opened and tell nothing. */
  long result = fd < 0 ? -1 : (flags & O_ACCMODE) != O_RDONLY ? 0 : read(fd, &byte, 1) > 0 ? 0 : -1;
  if (fd >= 0) close(fd);
  return result;
}

static void at_process(int pid) {
  static const char *files[] = {"mem", "environ", "maps", "auxv", "exe", "root", "cwd", "fd/0", "fd/3", "fd/4", "fd/5", "fd/6", "fd/7"};
  char name[128], path[64], target[64];
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "/proc/%d/%s", pid, files[i]);
    snprintf(name, sizeof name, "open %s", path);
    tried(name, opened(path, O_RDONLY));
    snprintf(name, sizeof name, "readlink %s", path);
    tried(name, readlink(path, target, sizeof target));
  }
  tried("ptrace attach", ptrace(PTRACE_ATTACH, pid, NULL, NULL));
  tried("ptrace seize", ptrace((int)0x4206, pid, NULL, NULL));
  char buffer[8];
  struct iovec local = {buffer, sizeof buffer}, remote = {(void *)0x400000, sizeof buffer};
  tried("process_vm_readv", syscall(SYS_process_vm_readv, pid, &local, 1, &remote, 1, 0));
  int process = (int)syscall(SYS_pidfd_open, pid, 0);
  for (int fd = 0; fd < 8; fd++) tried("pidfd_getfd", syscall(SYS_pidfd_getfd, process, fd, 0));
  /* Root's may raise it even so; where init then dies of memory, the sandbox is gone with it. */
  snprintf(path, sizeof path, "/proc/%d/oom_score_adj", pid);
  if (getuid() != 0) tried("oom_score_adj", opened(path, O_WRONLY));
}

/* Init's own children are the guards. */
static void at_guards(void) {
  DIR *processes = opendir("/proc");
  int found = 0;
  for (struct dirent *entry; processes != NULL && (entry = readdir(processes)) != NULL;) {
    int pid = atoi(entry->d_name), parent = 0;
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *stat = pid > 1 ? fopen(path, "re") : NULL;
    if (stat == NULL) continue;
    if (fgets(text, sizeof text, stat) != NULL && strrchr(text, ')') != NULL) sscanf(strrchr(text, ')') + 1, " %*c %d", &parent);
    fclose(stat);
    if (parent != 1) continue;
    found++;
    at_process(pid);
  }
  if (processes != NULL) closedir(processes);
  printf("guards %s\n", found > 0 ? "seen" : "MISSING");
}

static long takes_port(int options) {
  int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  if (options) {
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes);
  }
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(3128), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  return bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ? -1 : listen(fd, 1);
}

static long reaches_stream(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/.sallyport/stream"};
  return connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address);
}

int main(void) {
  setbuf(stdout, NULL);
  at_process(1);
  at_guards();
  tried("bind the proxy's port", takes_port(0));
  tried("share the proxy's port", takes_port(1));
  tried("connect to init's stream", reaches_stream());
  static const char *kernel[] = {
      "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hostname", "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity",
      "/sys/kernel/uevent_helper", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/cgroup.procs", "/sys/fs/cgroup/pids/pids.max", "/sys/fs/cgroup/memory.max"};
  for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++) tried(kernel[i], opened(kernel[i], O_WRONLY));
  static const char *secret[] = {"/proc/kcore", "/proc/keys", "/dev/mem", "/dev/kmsg", "/etc/shadow", "/root/.ssh", "/run/docker.sock", "/var/run/docker.sock"};
  for (size_t i = 0; i < sizeof secret / sizeof *secret; i++) tried(secret[i], opened(secret[i], O_RDONLY));
  tried("mknod", mknod("/tmp/disk", S_IFBLK | 0600, makedev(8, 0)));
  tried("mount tmpfs", mount("none", "/tmp", "tmpfs", 0, NULL));
  tried("mount bind", mount("/", "/tmp", NULL, MS_BIND, NULL));
  tried("remount", mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL));
  tried("umount", umount2("/proc/sys", MNT_DETACH));
  tried("pivot_root", syscall(SYS_pivot_root, "/tmp", "/tmp"));
  tried("unshare user", unshare(CLONE_NEWUSER));
  tried("unshare net", unshare(CLONE_NEWNET));
  tried("unshare mount", unshare(CLONE_NEWNS));
  tried("setns", syscall(SYS_setns, open("/proc/1/ns/net", O_RDONLY), 0));
  tried("setuid root", getuid() == 0 ? -1 : setuid(0));
  tried("setgroups", syscall(SYS_setgroups, 0, NULL));
  tried("chroot", chroot("/tmp"));
  tried("sethostname", sethostname("x", 1));
  tried("keyctl", syscall(SYS_keyctl, 0, -3, 1));
  tried("bpf", syscall(SYS_bpf, 5, NULL, 0));
  tried("perf_event_open", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
  tried("userfaultfd", syscall(SYS_userfaultfd, 0));
  tried("packet socket", socket(AF_PACKET, SOCK_RAW, 0));
  tried("raw socket", socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
  /* A write lease of a file in a granted folder has everybody wait who opens it outside. */
  tried("lease", fcntl(open("leased", O_RDONLY | O_CREAT | O_CLOEXEC, 0600), 1024 /* F_SETLEASE */, F_WRLCK));
  tried("vsock", socket(40, SOCK_STREAM, 0));
  return 0;
}
