#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tree.h"
#include "wire.h"

/* Written by the child of vfork(2), which shares this memory until it has become the command. */
static volatile int failed_errno, failed_stage;

static void fail(int stage) {
  failed_errno = errno;
  failed_stage = stage;
  _exit(127);
}

/*
 * execve(2) along PATH of the command's own environment. Not execvp(3): where a file has no known format some libraries
 * run it with /bin/sh, and nothing but what was judged may run.
 */
static void execute(const struct command *command) {
  const char *name = command->argv[0];
  if (strchr(name, '/') != NULL) {
    execve(name, command->argv, command->envp);
    return;
  }
  const char *path = "";
  for (char **entry = command->envp; *entry != NULL; entry++)
    if (strncmp(*entry, "PATH=", 5) == 0) path = *entry + 5;
  bool denied = false;
  size_t name_length = strlen(name);
  char full[4096];
  while (*path != '\0') {
    size_t length = strcspn(path, ":");
    /* An empty entry would mean the current folder. */
    if (length > 0 && *path == '/' && length + name_length + 2 <= sizeof full) {
      memcpy(full, path, length);
      full[length] = '/';
      memcpy(full + length + 1, name, name_length + 1);
      execve(full, command->argv, command->envp);
      if (errno == EACCES) denied = true;
      else if (errno != ENOENT && errno != ENOTDIR) return;
    }
    path += length;
    while (*path == ':') path++;
  }
  errno = denied ? EACCES : ENOENT;
}

static void become_command(const struct command *command) {
  setsid();
  if (dup2(command->in, 0) < 0 || dup2(command->out, 1) < 0 || dup2(command->err, 2) < 0) fail(STAGE_SETUP);
  if (command->terminal && ioctl(0, TIOCSCTTY, 0) < 0) fail(STAGE_SETUP);
  if (chdir(command->cwd) < 0) fail(STAGE_CHDIR);
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  umask(022);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execute(command);
  fail(STAGE_EXEC);
}

static void send(int fd, const struct report *report) {
  /* Less than PIPE_BUF, so it is written whole; init reads it or is gone. */
  if (write(fd, report, sizeof *report) < 0) _exit(1);
}

static void keep_only(int fd) {
  if (fd > 0) syscall(SYS_close_range, 0u, (unsigned)fd - 1, 0u);
  syscall(SYS_close_range, (unsigned)fd + 1, ~0u, 0u);
}

static void add_usage(struct report *report) {
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  report->user_us = (int64_t)usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec;
  report->system_us = (int64_t)usage.ru_stime.tv_sec * 1000000 + usage.ru_stime.tv_usec;
  report->max_rss_bytes = (int64_t)usage.ru_maxrss * 1024;
}

/* Reaps until nothing of the tree is left. Reports the command's own end when it comes. */
static _Noreturn void watch_over(pid_t main_pid, int report_fd) {
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, GUARD_KILL);
  bool killing = false, main_over = false, reported = false;
  struct report report = {.kind = REPORT_EXITED, .pid = main_pid};
  for (;;) {
    struct timespec soon = {.tv_nsec = 5000000};
    int number = killing ? sigtimedwait(&awaited, NULL, &soon) : sigwaitinfo(&awaited, NULL);
    if (number == GUARD_KILL) killing = true;
    pid_t pid;
    for (int status; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (pid != main_pid || main_over) continue;
      main_over = true;
      report.status = status;
    }
    bool alone = pid < 0 && errno == ECHILD;
    if (main_over && !reported) {
      add_usage(&report);
      report.alone = alone;
      send(report_fd, &report);
      reported = true;
    }
    if (alone) _exit(0);
    if (killing) tree_kill(getpid(), NULL);
  }
}

_Noreturn void guard_run(const struct command *command) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  /* vfork: the copy of the address space is the dearest part of a start, and the parent's wait tells of a failed exec. */
  pid_t pid = vfork();
  if (pid == 0) become_command(command);
  struct report report = {.kind = REPORT_STARTED, .pid = pid};
  if (pid < 0) {
    failed_errno = errno;
    failed_stage = STAGE_FORK;
  }
  if (failed_errno != 0) {
    report = (struct report){.kind = REPORT_FAILED, .error = failed_errno, .stage = failed_stage};
    send(command->report, &report);
    _exit(0);
  }
  send(command->report, &report);
  keep_only(command->report);
  watch_over(pid, command->report);
}
