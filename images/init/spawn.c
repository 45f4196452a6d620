#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "guards.h"
#include "process.h"
#include "request.h"
#include "setup.h"
#include "stream.h"

/* Descriptors of a new command: init's ends, and the command's. -1 where there is none. */
struct ends {
  int in, out, err;
  int theirs[3];
};

static void close_all(struct ends *ends) {
  int all[] = {ends->in, ends->out, ends->err, ends->theirs[0], ends->theirs[1], ends->theirs[2]};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] >= 0) close(all[i]);
}

static bool make_pipe(int *reading, int *writing) {
  int pair[2];
  if (pipe2(pair, O_CLOEXEC) < 0) return false;
  *reading = pair[0];
  *writing = pair[1];
  return true;
}

static bool not_blocking(int fd) { return fcntl(fd, F_SETFL, O_NONBLOCK) == 0; }

static bool make_pipes(uint32_t flags, struct ends *ends) {
  if (!make_pipe(&ends->out, &ends->theirs[1]) || !make_pipe(&ends->err, &ends->theirs[2])) return false;
  if (flags & SPAWN_STDIN) {
    if (!make_pipe(&ends->theirs[0], &ends->in) || !not_blocking(ends->in)) return false;
  } else {
    ends->theirs[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (ends->theirs[0] < 0) return false;
  }
  /* A larger pipe gathers small writes into larger frames. Where the user's share is used up, the default serves. */
  fcntl(ends->out, F_SETPIPE_SZ, (int)WINDOW);
  return not_blocking(ends->out) && not_blocking(ends->err);
}

/* The command's side of a new terminal. Some kernels have it by its path only. */
static int terminal_peer(int terminal) {
  int peer = ioctl(terminal, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC), number;
  if (peer >= 0 || errno != ENOTTY || ioctl(terminal, (int)TIOCGPTN, &number) < 0) return peer;
  char path[32];
  snprintf(path, sizeof path, "/dev/pts/%d", number);
  return open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

static bool make_terminal(uint32_t flags, const struct winsize *size, struct ends *ends) {
  int unlock = 0;
  ends->out = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ends->out < 0 || ioctl(ends->out, TIOCSPTLCK, &unlock) < 0 || ioctl(ends->out, TIOCSWINSZ, size) < 0) return false;
  ends->theirs[0] = terminal_peer(ends->out);
  if (ends->theirs[0] < 0) return false;
  ends->theirs[1] = fcntl(ends->theirs[0], F_DUPFD_CLOEXEC, 0);
  ends->theirs[2] = fcntl(ends->theirs[0], F_DUPFD_CLOEXEC, 0);
  /* A sink and a source each need a descriptor of their own in the loop. */
  if (flags & SPAWN_STDIN) ends->in = fcntl(ends->out, F_DUPFD_CLOEXEC, 0);
  return ends->theirs[1] >= 0 && ends->theirs[2] >= 0 && (!(flags & SPAWN_STDIN) || ends->in >= 0) && not_blocking(ends->out);
}

static void refuse(uint32_t channel, int error, enum failed_stage stage) {
  unsigned char payload[8];
  put32(payload, (uint32_t)error);
  put32(payload + 4, stage);
  stream_send(FRAME_FAILED, channel, payload, sizeof payload);
}

/* Makes the descriptors and hands the command to a guard. Returns the stage that failed, with errno, or 0. */
static int start(struct process *process, const unsigned char *payload, uint32_t length, struct ends *ends) {
  uint32_t flags = get32(payload);
  struct winsize size = {.ws_col = get16(payload + 8), .ws_row = get16(payload + 10)};
  /* So that they are the user's, who may open them again by /dev/stdout and the like. */
  user_act(true);
  bool made = flags & SPAWN_PTY ? make_terminal(flags, &size, ends) : make_pipes(flags, ends);
  int error = errno;
  user_act(false);
  errno = error;
  if (!made) return STAGE_SETUP;
  process->guard = guard_start(process, payload, length, ends->theirs);
  return process->guard == NULL ? STAGE_FORK : 0;
}

void process_spawn(uint32_t channel, const unsigned char *payload, uint32_t length) {
  bool fits = length >= REQUEST_FIXED_BYTES && get32(payload + 4) <= WINDOW;
  if (!fits || channel == 0 || channel >= FIRST_TCP_CHANNEL || process_find(channel) != NULL) {
    refuse(channel, EINVAL, STAGE_REQUEST);
    return;
  }
  struct process *process = process_count() < MAX_PROCESSES ? calloc(1, sizeof *process) : NULL;
  if (process == NULL) {
    refuse(channel, EAGAIN, STAGE_LIMIT);
    return;
  }
  process->channel = channel;
  process->first_credit = get32(payload + 4);
  process->file_limited = get64(payload + 28) != 0;
  process->before = counts_now();
  process->started_us = now_us();
  struct ends ends = {-1, -1, -1, {-1, -1, -1}};
  int stage = start(process, payload, length, &ends);
  if (stage != 0) {
    refuse(channel, errno, (enum failed_stage)stage);
    free(process);
    close_all(&ends);
    return;
  }
  for (int i = 0; i < 3; i++) close(ends.theirs[i]);
  process_add(process, ends.in, ends.out, ends.err);
}
