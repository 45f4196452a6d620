#include "flow.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "dispatch.h"
#include "stream.h"

/* One source's share of a turn: enough for throughput, little enough that others get their turn. */
#define TURN_BYTES (256u * 1024u)

static struct source *sources;

static void source_ready(struct watch *watch, uint32_t events) {
  (void)events;
  struct source *self = CONTAINER_OF(watch, struct source, watch);
  source_pump(self);
}

void source_open(struct source *self, int fd) {
  self->watch = (struct watch){.fd = fd, .ready = source_ready};
  self->last_read_ms = now_ms();
  self->previous = NULL;
  self->next = sources;
  if (sources != NULL) sources->previous = self;
  sources = self;
  source_update(self);
}

void source_close(struct source *self) {
  if (self->watch.fd < 0) return;
  watch_close(&self->watch);
  if (self->previous != NULL) self->previous->next = self->next;
  else sources = self->next;
  if (self->next != NULL) self->next->previous = self->previous;
}

bool source_flows(const struct source *self) { return self->discards || (*self->credit > 0 && stream_room() > 0); }

void source_update(struct source *self) { watch_set(&self->watch, source_flows(self) ? EPOLLIN : 0); }

void sources_wake(void) {
  for (struct source *source = sources; source != NULL; source = source->next) source_update(source);
}

/* Bytes that may be read at once, and where to put them. */
static uint32_t target(const struct source *self, unsigned char **into) {
  static unsigned char dropped[MAX_DATA];
  *into = dropped;
  if (self->discards) return sizeof dropped;
  uint32_t room = stream_room();
  if (room > 0) *into = stream_reserve();
  return room < *self->credit ? room : *self->credit;
}

static void take(struct source *self, uint32_t length) {
  if (self->discards) return;
  stream_commit(self->type, self->channel, length);
  *self->credit -= length;
}

enum pumped source_pump(struct source *self) {
  uint32_t budget = TURN_BYTES;
  while (budget > 0) {
    unsigned char *into;
    uint32_t limit = target(self, &into);
    if (limit == 0) {
      source_update(self);
      return PUMP_BLOCKED;
    }
    ssize_t got = read(self->watch.fd, into, limit);
    if (got > 0) {
      take(self, (uint32_t)got);
      self->last_read_ms = now_ms();
      budget = budget > (uint32_t)got ? budget - (uint32_t)got : 0;
      /* A short read has emptied it for now; the loop says when there is more. */
      if ((uint32_t)got < limit) return PUMP_MORE;
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && errno == EAGAIN) {
      return PUMP_EMPTY;
    } else {
      /* A terminal's master gives EIO where the last slave was closed (pty(7)). */
      self->ended(self, got == 0 || errno == EIO ? 0 : errno);
      return PUMP_EMPTY;
    }
  }
  return PUMP_MORE;
}

static void sink_grant(struct sink *self) {
  /* Grants in large steps, except where the sidecar might be waiting for the last bytes of its window. */
  if (self->owed < WINDOW / 4) return;
  self->allowance += self->owed;
  stream_send32(FRAME_CREDIT, self->channel, self->owed);
  self->owed = 0;
}

/* Writes as much as the descriptor takes. Returns the bytes written; a fault ends the sink. */
static uint32_t write_some(struct sink *self, const unsigned char *bytes, uint32_t length) {
  uint32_t done = 0;
  while (done < length) {
    ssize_t wrote = write(self->watch.fd, bytes + done, length - done);
    if (wrote > 0) {
      done += (uint32_t)wrote;
    } else if (wrote < 0 && errno == EINTR) {
      continue;
    } else if (wrote < 0 && errno == EAGAIN) {
      break;
    } else {
      self->ended(self, errno);
      return done;
    }
  }
  self->owed += done;
  sink_grant(self);
  return done;
}

static void sink_ready(struct watch *watch, uint32_t events) {
  struct sink *self = CONTAINER_OF(watch, struct sink, watch);
  if (self->length == 0 && (events & (EPOLLERR | EPOLLHUP))) {
    self->ended(self, EPIPE);
    return;
  }
  uint32_t wrote = write_some(self, self->buffer + self->head, self->length);
  if (self->watch.fd < 0) return;
  self->head += wrote;
  self->length -= wrote;
  if (self->length > 0) return;
  watch_set(&self->watch, 0);
  free(self->buffer);
  self->buffer = NULL;
  self->head = 0;
  if (self->ending) self->ended(self, 0);
}

void sink_open(struct sink *self, int fd) {
  self->watch = (struct watch){.fd = fd, .ready = sink_ready};
  self->allowance = WINDOW;
}

void sink_put(struct sink *self, const unsigned char *bytes, uint32_t length) {
  if (length > self->allowance || self->ending) die("the sidecar sent more than it was granted");
  self->allowance -= length;
  uint32_t wrote = self->length == 0 ? write_some(self, bytes, length) : 0;
  if (self->watch.fd < 0 || wrote == length) return;
  if (self->buffer == NULL) {
    self->buffer = malloc(WINDOW);
    if (self->buffer == NULL) die("out of memory");
  }
  if (self->head + self->length + length - wrote > WINDOW) {
    memmove(self->buffer, self->buffer + self->head, self->length);
    self->head = 0;
  }
  memcpy(self->buffer + self->head + self->length, bytes + wrote, length - wrote);
  self->length += length - wrote;
  watch_set(&self->watch, EPOLLOUT);
}

void sink_end(struct sink *self) {
  if (self->watch.fd < 0 || self->ending) return;
  self->ending = true;
  if (self->length == 0) self->ended(self, 0);
}

void sink_close(struct sink *self) {
  watch_close(&self->watch);
  free(self->buffer);
  self->buffer = NULL;
  self->length = 0;
}
