#include "guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "loop.h"
#include "request.h"
#include "tree.h"

/* Between two passes over a tree that does not die at once. */
#define PASS_NS 5000000
/* Between two looks at what a tree with limits of its own uses. */
#define LOOK_MS 100

static void tell(int socket, const struct report *report) {
  if (send(socket, report, sizeof *report, MSG_NOSIGNAL) < 0) _exit(1);
}

/* Waits for the next command's descriptors. Does not return once init has closed the socket. */
static void await_command(int socket, int descriptors[3]) {
  char byte;
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  union {
    char space[CMSG_SPACE(3 * sizeof(int))];
    struct cmsghdr header;
  } control;
  for (;;) {
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header == NULL || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(3 * sizeof(int))) _exit(0);
    memcpy(descriptors, CMSG_DATA(header), 3 * sizeof(int));
    return;
  }
}

static int64_t micros(struct timeval time) { return (int64_t)time.tv_sec * 1000000 + time.tv_usec; }

/* What the children used since `before`: a guard serves many commands. The peak is a maximum, so it is taken from the command itself. */
static void add_usage(struct report *report, const struct rusage *before, const struct rusage *own) {
  struct rusage now;
  getrusage(RUSAGE_CHILDREN, &now);
  report->user_us = micros(now.ru_utime) - micros(before->ru_utime);
  report->system_us = micros(now.ru_stime) - micros(before->ru_stime);
  report->max_rss_bytes = (int64_t)own->ru_maxrss * 1024;
}

/* The limit of its own that the tree is above now. */
static enum limit exceeded(const struct limits *limits, const struct rusage *before) {
  struct report reaped = {0};
  add_usage(&reaped, before, before);
  struct tree_usage usage = tree_measure(getpid());
  uint64_t cpu_us = usage.cpu_us + (uint64_t)(reaped.user_us + reaped.system_us);
  if (limits->memory_bytes != 0 && usage.memory_bytes > limits->memory_bytes) return LIMIT_MEMORY;
  if (limits->processes != 0 && usage.processes > limits->processes) return LIMIT_PIDS;
  if (limits->cpu_us != 0 && cpu_us > limits->cpu_us) return LIMIT_CPU;
  return LIMIT_NONE;
}

/* Waits until something has happened, `nanoseconds` at most; 0: however long it takes. */
static void await(long nanoseconds) {
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, GUARD_WAKE);
  struct timespec most = {.tv_nsec = nanoseconds};
  if (nanoseconds == 0) sigwaitinfo(&awaited, NULL);
  else sigtimedwait(&awaited, NULL, &most);
}

/* Reaps until nothing of the tree is left, and reports the command's own end when it comes. */
static void watch_over(int socket, const struct shared *shared, pid_t command, const struct limits *limits, const struct rusage *before) {
  bool limited = limits->memory_bytes != 0 || limits->processes != 0 || limits->cpu_us != 0;
  bool exited = false, terminated = false;
  enum limit limit = LIMIT_NONE;
  int64_t look_at_ms = 0;
  for (;;) {
    if (limited && limit == LIMIT_NONE && now_ms() >= look_at_ms) {
      limit = exceeded(limits, before);
      look_at_ms = now_ms() + LOOK_MS;
    }
    if (shared->terminate_serial == shared->serial && !terminated) {
      terminated = true;
      tree_signal(getpid(), SIGTERM);
    }
    if (limit != LIMIT_NONE || shared->kill_serial == shared->serial) {
      tree_kill(getpid(), NULL);
      await(PASS_NS);
    } else {
      await(limited ? LOOK_MS * 1000000L : 0);
    }
    struct report report = {.kind = REPORT_EXITED};
    struct rusage own = {0}, usage;
    bool exited_now = false;
    pid_t pid;
    for (int status; (pid = wait4(-1, &status, WNOHANG, &usage)) > 0;) {
      if (pid != command || exited) continue;
      exited = exited_now = true;
      report.status = status;
      own = usage;
    }
    bool alone = pid < 0 && errno == ECHILD;
    if (exited_now) {
      report.alone = alone;
      if (WIFSIGNALED(report.status)) report.limit = limit;
      add_usage(&report, before, &own);
      tell(socket, &report);
    } else if (alone) {
      tell(socket, &(struct report){.kind = REPORT_GONE});
    }
    if (alone) return;
  }
}

static void serve(int socket, struct shared *shared, const int descriptors[3]) {
  struct request request = {0};
  struct start start = {.error = EINVAL, .stage = STAGE_REQUEST};
  struct rusage before;
  getrusage(RUSAGE_CHILDREN, &before);
  if (request_parse(shared->payload, shared->length, &request)) {
    start = command_start(&request, descriptors, (get32(shared->payload) & SPAWN_PTY) != 0);
    free(request.argv);
  }
  for (int i = 0; i < 3; i++) close(descriptors[i]);
  if (start.error != 0) {
    /* The child that failed is reaped before the next command could be taken for it. */
    if (start.pid > 0) waitpid(start.pid, NULL, 0);
    tell(socket, &(struct report){.kind = REPORT_FAILED, .error = start.error, .stage = start.stage});
    return;
  }
  tell(socket, &(struct report){.kind = REPORT_STARTED, .pid = start.pid});
  watch_over(socket, shared, start.pid, &request.limits, &before);
}

_Noreturn void guard_run(int socket, struct shared *shared) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  bool adopts = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
  /* 0, 1 and 2 stay: they are /dev/null. */
  close_others(socket);
  for (;;) {
    int descriptors[3];
    await_command(socket, descriptors);
    /* Each time: init may give the memory back between two commands. */
    shared->adopts = adopts;
    serve(socket, shared, descriptors);
  }
}
