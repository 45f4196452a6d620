#include "guards.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "sound.h"
#include "tree.h"

#define MAX_IDLE 8
/* A payload past this is not kept in memory for the next command. */
#define KEPT_PAYLOAD (64u * 1024u)

static struct guard *guards;
static bool sweeping;

static void discard(struct guard *self) {
  struct guard **link = &guards;
  while (*link != self) link = &(*link)->next;
  *link = self->next;
  watch_close(&self->watch);
  munmap(self->shared, sizeof *self->shared);
  free_later(self);
}

static void guard_ready(struct watch *watch, uint32_t events) {
  (void)events;
  struct guard *self = CONTAINER_OF(watch, struct guard, watch);
  /* Served through the process: a report may end it, and the guard's service to it. */
  while (watch->fd >= 0) {
    struct report report;
    ssize_t got = recv(watch->fd, &report, sizeof report, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (got == (ssize_t)sizeof report && self->process != NULL) process_report(self->process, &report);
    else guard_give_up(self);
  }
  if (self->process != NULL) process_reported(self->process);
}

static struct guard *make(void) {
  int pair[2];
  struct guard *self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->shared = mmap(NULL, sizeof *self->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (self->shared == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
    if (self->shared != MAP_FAILED) munmap(self->shared, sizeof *self->shared);
    free(self);
    return NULL;
  }
  self->pid = fork();
  if (self->pid == 0) guard_run(pair[1], self->shared);
  int error = errno;
  close(pair[1]);
  self->watch = (struct watch){.fd = pair[0], .ready = guard_ready};
  self->next = guards;
  guards = self;
  if (self->pid < 0) {
    discard(self);
    errno = error;
    return NULL;
  }
  watch_set(&self->watch, EPOLLIN);
  return self;
}

void guards_open(void) {
  struct guard *first = make();
  if (first == NULL) die("cannot fork");
  sound_note(first->pid);
}

static struct guard *take(void) {
  for (struct guard *guard = guards, *next; guard != NULL; guard = next) {
    next = guard->next;
    if (guard->process != NULL) continue;
    if (sound_is(guard->pid)) return guard;
    guard_give_up(guard);
  }
  return make();
}

static bool hand_over(struct guard *self, const int descriptors[3]) {
  char byte = 0;
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  union {
    char space[CMSG_SPACE(3 * sizeof(int))];
    struct cmsghdr header;
  } control = {{0}};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN(3 * sizeof(int));
  memcpy(CMSG_DATA(&control.header), descriptors, 3 * sizeof(int));
  return sendmsg(self->watch.fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

struct guard *guard_start(struct process *process, const unsigned char *payload, uint32_t length, const int descriptors[3]) {
  /* One that a command has killed is found out here; the next try takes or makes another. */
  for (;;) {
    struct guard *guard = take();
    if (guard == NULL) return NULL;
    guard->shared->serial++;
    guard->shared->length = length;
    memcpy(guard->shared->payload, payload, length);
    kill(guard->pid, SIGCONT); /* a command may have stopped it while it waited */
    if (hand_over(guard, descriptors)) {
      guard->process = process;
      return guard;
    }
    guard_give_up(guard);
  }
}

static void wake(struct guard *self) {
  kill(self->pid, SIGCONT);
  kill(self->pid, GUARD_WAKE);
}

void guard_kill(struct guard *self) {
  self->shared->kill_serial = self->shared->serial;
  wake(self);
}

void guard_terminate(struct guard *self) {
  self->shared->terminate_serial = self->shared->serial;
  wake(self);
}

bool guard_release(struct guard *self) {
  self->process = NULL;
  /* Orphans became init's, and nobody knows whose they were: better one too many ends than one outlives its command. */
  bool lost = !self->shared->adopts;
  if (lost) sweeping = true;
  if (self->shared->length > KEPT_PAYLOAD) madvise(self->shared, sizeof *self->shared, MADV_REMOVE);
  uint32_t idle = 0;
  for (struct guard *guard = guards; guard != NULL; guard = guard->next) idle += guard->process == NULL;
  /* A closed socket tells a guard to leave. */
  if (idle > MAX_IDLE) discard(self);
  return lost;
}

void guard_give_up(struct guard *self) {
  struct process *process = self->process;
  kill(self->pid, SIGKILL);
  sweeping = true;
  self->process = NULL;
  discard(self);
  if (process != NULL) process_unguarded(process);
}

static bool is_guard(pid_t pid) {
  for (struct guard *guard = guards; guard != NULL; guard = guard->next)
    if (guard->pid == pid) return true;
  return false;
}

void guards_reap(void) {
  /* A guard's death also shows on its socket, where its last reports come first. One that a command has stopped goes on. */
  pid_t pid;
  for (int status; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;)
    if (WIFSTOPPED(status) && is_guard(pid)) kill(pid, SIGCONT);
}

bool guards_sweeping(void) { return sweeping; }

bool guards_sweep(void) {
  /* Whatever init has for a child and is no guard is an orphan of one that died. */
  if (sweeping) sweeping = tree_kill(getpid(), is_guard);
  return sweeping;
}
