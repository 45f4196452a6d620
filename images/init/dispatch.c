#include "dispatch.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "loop.h"
#include "process.h"
#include "stream.h"
#include "tcp.h"

static void answer_stat(uint32_t channel, const unsigned char *payload, uint32_t length) {
  unsigned char answer[24] = {0};
  char path[4096];
  struct stat found = {0};
  if (length >= sizeof path) die("a path is too long");
  memcpy(path, payload, length);
  path[length] = '\0';
  if (lstat(path, &found) < 0) put32(answer, (uint32_t)errno);
  put32(answer + 4, found.st_mode);
  put64(answer + 8, found.st_dev);
  put64(answer + 16, found.st_ino);
  stream_send(FRAME_STATED, channel, answer, sizeof answer);
}

static void to_process(enum frame_type type, struct process *process, const unsigned char *payload, uint32_t length) {
  switch (type) {
    case FRAME_DATA:
      if (process->in.watch.fd >= 0) sink_put(&process->in, payload, length);
      /* A command may close its input at any time: what was on its way is dropped. */
      else if (length > 0) stream_send32(FRAME_CREDIT, process->channel, length);
      return;
    case FRAME_EOF:
      sink_end(&process->in);
      return;
    case FRAME_CREDIT:
      if (length == 4) process_credit(process, get32(payload));
      return;
    case FRAME_RESIZE:
      if (length == 4) process_resize(process, get16(payload), get16(payload + 2));
      return;
    case FRAME_SIGNAL:
      if (length == 4) process_signal(process, (int)get32(payload));
      return;
    case FRAME_TERMINATE:
      process_terminate(process);
      return;
    case FRAME_KILL:
      process_kill(process);
      return;
    case FRAME_DISCARD:
      process_discard(process);
      return;
    default:
      die("an unknown frame for a command");
  }
}

static void to_connection(enum frame_type type, struct connection *connection, const unsigned char *payload, uint32_t length) {
  switch (type) {
    case FRAME_DATA:
      if (connection->to.watch.fd >= 0) sink_put(&connection->to, payload, length);
      return;
    case FRAME_EOF:
      sink_end(&connection->to);
      return;
    case FRAME_CREDIT:
      if (length == 4) tcp_credit(connection, get32(payload));
      return;
    case FRAME_RESET:
      tcp_reset(connection);
      return;
    default:
      die("an unknown frame for a connection");
  }
}

void dispatch(enum frame_type type, uint32_t channel, const unsigned char *payload, uint32_t length) {
  if (type == FRAME_SPAWN) {
    process_spawn(channel, payload, length);
  } else if (type == FRAME_STAT) {
    answer_stat(channel, payload, length);
  } else if (type == FRAME_PING) {
    if (length == 8) stream_send(FRAME_PONG, channel, payload, length);
  } else if (channel < FIRST_TCP_CHANNEL) {
    /* Frames for a channel that is over were on their way when it ended. */
    struct process *process = process_find(channel);
    if (process != NULL) to_process(type, process, payload, length);
  } else {
    struct connection *connection = tcp_find(channel);
    if (connection != NULL) to_connection(type, connection, payload, length);
  }
}
