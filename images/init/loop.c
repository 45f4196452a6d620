#include "loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_EVENTS 64
#define MAX_DEAD 4096

static int epoll_fd = -1;
static void *dead[MAX_DEAD];
static int dead_count;

_Noreturn void die(const char *what) {
  const char *parts[] = {"sallyport-init: ", what, "\n"};
  for (int i = 0; i < 3; i++)
    if (write(2, parts[i], strlen(parts[i])) < 0) break;
  _exit(78); /* EX_CONFIG of sysexits.h */
}

void loop_open(void) {
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) die("epoll_create1 failed");
}

void watch_set(struct watch *self, uint32_t events) {
  if (self->fd < 0 || events == self->events) return;
  /* A hang-up is reported even where nothing is asked for, so an unwatched descriptor has to leave the set. */
  int operation = events == 0 ? EPOLL_CTL_DEL : self->events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  struct epoll_event event = {.events = events, .data.ptr = self};
  if (epoll_ctl(epoll_fd, operation, self->fd, &event) < 0) die("epoll_ctl failed");
  self->events = events;
}

void watch_close(struct watch *self) {
  if (self->fd < 0) return;
  watch_set(self, 0);
  close(self->fd);
  self->fd = -1;
}

void loop_turn(int timeout_ms) {
  struct epoll_event events[MAX_EVENTS];
  int count = epoll_wait(epoll_fd, events, MAX_EVENTS, timeout_ms);
  if (count < 0 && errno != EINTR) die("epoll_wait failed");
  for (int i = 0; i < count; i++) {
    struct watch *watch = events[i].data.ptr;
    /* An earlier event of this turn may have closed or silenced it. */
    if (watch->fd >= 0 && watch->events != 0) watch->ready(watch, events[i].events);
  }
}

void free_later(void *memory) {
  if (dead_count == MAX_DEAD) return; /* a leak is better than a stale pointer; the bound on channels keeps us far from here */
  dead[dead_count++] = memory;
}

void free_now(void) {
  while (dead_count > 0) free(dead[--dead_count]);
}

static void close_span(unsigned from, unsigned to) {
  if (from > to || syscall(SYS_close_range, from, to, 0u) == 0) return;
  /* Kernels before 5.9, and filters that do not know it. */
  struct rlimit limit = {0};
  getrlimit(RLIMIT_NOFILE, &limit);
  for (unsigned fd = from; fd <= to && fd < limit.rlim_cur; fd++) close((int)fd);
}

void close_others(int kept) {
  if (kept > 3) close_span(3, (unsigned)kept - 1);
  close_span(kept < 3 ? 3 : (unsigned)kept + 1, ~0u);
}

int64_t now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

int64_t now_ms(void) { return now_us() / 1000; }
