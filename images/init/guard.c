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

/* Reaps until nothing of the tree is left, and reports the command's own end when it comes. */
static void watch_over(int socket, const struct shared *shared, pid_t command, const struct rusage *before) {
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, GUARD_WAKE);
  struct timespec pass = {.tv_nsec = PASS_NS};
  bool exited = false;
  for (;;) {
    bool killing = shared->kill_serial == shared->serial;
    if (killing) {
      tree_kill(getpid(), NULL);
      sigtimedwait(&awaited, NULL, &pass);
    } else {
      sigwaitinfo(&awaited, NULL);
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
      add_usage(&report, before, &own);
      tell(socket, &report);
    } else if (alone) {
      tell(socket, &(struct report){.kind = REPORT_GONE});
    }
    if (alone) return;
  }
}

static void serve(int socket, struct shared *shared, const int descriptors[3]) {
  struct request request;
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
  watch_over(socket, shared, start.pid, &before);
}

_Noreturn void guard_run(int socket, struct shared *shared) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  /* 0, 1 and 2 stay: they are /dev/null. */
  close_others(socket);
  for (;;) {
    int descriptors[3];
    await_command(socket, descriptors);
    serve(socket, shared, descriptors);
  }
}
