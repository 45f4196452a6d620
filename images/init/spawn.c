/*
 * Payload of a spawn frame: u32 flags, u32 credit, u16 columns, u16 rows, u32 argument count, u32 variable count, then
 * NUL-terminated strings: the working directory, the arguments, the variables (NAME=value).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "guard.h"
#include "process.h"
#include "stream.h"

#define FIXED_BYTES 20u

struct request {
  uint32_t flags, credit;
  struct winsize size;
  const char *cwd;
  char **argv, **envp; /* one allocation, at argv */
};

/* Descriptors of a new command: init's ends, and the command's. -1 where there is none. */
struct ends {
  int in, out, err, report;
  int their_in, their_out, their_err, their_report;
};

static char **take_strings(char **into, uint32_t count, char **at, const char *end) {
  for (uint32_t i = 0; i < count; i++) {
    char *stop = memchr(*at, '\0', (size_t)(end - *at));
    if (stop == NULL) return NULL;
    *into++ = *at;
    *at = stop + 1;
  }
  *into++ = NULL;
  return into;
}

static bool parse(const unsigned char *payload, uint32_t length, struct request *request) {
  if (length < FIXED_BYTES) return false;
  request->flags = get32(payload);
  request->credit = get32(payload + 4);
  request->size = (struct winsize){.ws_col = get16(payload + 8), .ws_row = get16(payload + 10)};
  uint32_t argc = get32(payload + 12), envc = get32(payload + 16);
  if (argc == 0 || argc > length || envc > length || request->credit > WINDOW) return false;
  request->argv = malloc(((size_t)argc + envc + 2) * sizeof(char *));
  if (request->argv == NULL) return false;
  char *at = (char *)(uintptr_t)(payload + FIXED_BYTES);
  const char *end = (const char *)payload + length;
  char *cwd[2];
  if (take_strings(cwd, 1, &at, end) != NULL) {
    request->cwd = cwd[0];
    request->envp = take_strings(request->argv, argc, &at, end);
    if (request->envp != NULL && take_strings(request->envp, envc, &at, end) != NULL && at == end) return true;
  }
  free(request->argv);
  return false;
}

static void close_all(struct ends *ends) {
  int *all[] = {&ends->in, &ends->out, &ends->err, &ends->report, &ends->their_in, &ends->their_out, &ends->their_err, &ends->their_report};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (*all[i] >= 0) close(*all[i]);
}

static bool make_pipe(int *reading, int *writing) {
  int pair[2];
  if (pipe2(pair, O_CLOEXEC) < 0) return false;
  *reading = pair[0];
  *writing = pair[1];
  return true;
}

static bool not_blocking(int fd) { return fcntl(fd, F_SETFL, O_NONBLOCK) == 0; }

static bool make_pipes(const struct request *request, struct ends *ends) {
  if (!make_pipe(&ends->out, &ends->their_out) || !make_pipe(&ends->err, &ends->their_err)) return false;
  if (request->flags & SPAWN_STDIN) {
    if (!make_pipe(&ends->their_in, &ends->in) || !not_blocking(ends->in)) return false;
  } else {
    ends->their_in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (ends->their_in < 0) return false;
  }
  /* A larger pipe gathers small writes into larger frames. Where the user's share is used up, the default serves. */
  fcntl(ends->out, F_SETPIPE_SZ, (int)WINDOW);
  return not_blocking(ends->out) && not_blocking(ends->err);
}

static bool make_terminal(const struct request *request, struct ends *ends) {
  int unlock = 0;
  ends->out = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ends->out < 0 || ioctl(ends->out, TIOCSPTLCK, &unlock) < 0 || ioctl(ends->out, TIOCSWINSZ, &request->size) < 0) return false;
  ends->their_in = ioctl(ends->out, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ends->their_in < 0) return false;
  ends->their_out = fcntl(ends->their_in, F_DUPFD_CLOEXEC, 0);
  ends->their_err = fcntl(ends->their_in, F_DUPFD_CLOEXEC, 0);
  /* A sink and a source each need a descriptor of their own in the loop. */
  if (request->flags & SPAWN_STDIN) ends->in = fcntl(ends->out, F_DUPFD_CLOEXEC, 0);
  return ends->their_out >= 0 && ends->their_err >= 0 && (!(request->flags & SPAWN_STDIN) || ends->in >= 0) && not_blocking(ends->out);
}

static void failed(uint32_t channel, int error, enum failed_stage stage) {
  unsigned char payload[8];
  put32(payload, (uint32_t)error);
  put32(payload + 4, stage);
  stream_send(FRAME_FAILED, channel, payload, sizeof payload);
}

/* Forks the guard. Returns the stage that failed, with errno, or 0. */
static int start(const struct request *request, struct ends *ends, struct process *process) {
  bool terminal = (request->flags & SPAWN_PTY) != 0;
  bool made = terminal ? make_terminal(request, ends) : make_pipes(request, ends);
  if (!made || !make_pipe(&ends->report, &ends->their_report) || !not_blocking(ends->report)) return STAGE_SETUP;
  struct command command = {
    .cwd = request->cwd,
    .argv = request->argv,
    .envp = request->envp,
    .in = ends->their_in,
    .out = ends->their_out,
    .err = ends->their_err,
    .terminal = terminal,
    .report = ends->their_report,
  };
  process->guard = fork();
  if (process->guard == 0) guard_run(&command);
  return process->guard < 0 ? STAGE_FORK : 0;
}

void process_spawn(uint32_t channel, const unsigned char *payload, uint32_t length) {
  struct request request;
  if (channel == 0 || channel >= FIRST_TCP_CHANNEL || process_find(channel) != NULL || !parse(payload, length, &request)) {
    failed(channel, EINVAL, STAGE_REQUEST);
    return;
  }
  struct ends ends = {-1, -1, -1, -1, -1, -1, -1, -1};
  struct process *process = process_count() < MAX_PROCESSES ? calloc(1, sizeof *process) : NULL;
  int stage = STAGE_LIMIT;
  int error = EAGAIN;
  if (process != NULL) {
    process->channel = channel;
    process->first_credit = request.credit;
    process->started_us = now_us();
    stage = start(&request, &ends, process);
    error = errno;
  }
  free(request.argv);
  if (stage != 0) {
    failed(channel, error, (enum failed_stage)stage);
    free(process);
    close_all(&ends);
    return;
  }
  close(ends.their_in);
  close(ends.their_out);
  close(ends.their_err);
  close(ends.their_report);
  process_add(process, ends.report, ends.in, ends.out, ends.err);
}
