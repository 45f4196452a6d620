#include "exit.h"

#include <signal.h>
#include <sys/wait.h>

#include "counts.h"
#include "loop.h"
#include "stream.h"

/* The signal that ended the command, or a child of the shell that it is: shells exit with 128 + N then. 0: none. */
static int fatal_signal(int status) {
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  return WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128 : 0;
}

/* The kernel names no limit to init. A failure after it has refused something is taken for its effect. */
static enum limit limit_of(const struct process *self) {
  if (self->limit != LIMIT_NONE || self->asked || self->status == 0) return self->limit;
  int number = fatal_signal(self->status);
  if (number == SIGXFSZ && self->file_limited) return LIMIT_FILE_SIZE;
  struct counts now = counts_now();
  if (number == SIGKILL && now.memory_kills > self->before.memory_kills) return LIMIT_MEMORY;
  if (now.refused_forks > self->before.refused_forks) return LIMIT_PIDS;
  return LIMIT_NONE;
}

/*
 * Exit: i32 code (-1: a signal), u32 signal, u32 flags, u32 limit, u64 user, system and wall microseconds, u64 peak resident
 * bytes.
 */
void exit_send(const struct process *self) {
  unsigned char payload[48];
  bool signalled = WIFSIGNALED(self->status);
  put32(payload, signalled ? UINT32_MAX : (uint32_t)WEXITSTATUS(self->status));
  put32(payload + 4, signalled ? (uint32_t)WTERMSIG(self->status) : 0);
  put32(payload + 8, self->rest_killed ? EXIT_KILLED_REST : 0);
  put32(payload + 12, limit_of(self));
  put64(payload + 16, (uint64_t)self->user_us);
  put64(payload + 24, (uint64_t)self->system_us);
  put64(payload + 32, (uint64_t)(now_us() - self->started_us));
  put64(payload + 40, (uint64_t)self->max_rss_bytes);
  stream_send(FRAME_EXIT, self->channel, payload, sizeof payload);
}
