#include "stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "dispatch.h"
#include "loop.h"

#define OUT_BYTES (1024u * 1024u)
/* Kept free of data for control frames. */
#define OUT_RESERVE (96u * 1024u)
#define IN_BYTES (256u * 1024u)

static struct watch input = {.fd = -1};
static struct watch output = {.fd = -1};
static bool one_socket;

static unsigned char out[OUT_BYTES];
static uint32_t out_head, out_tail;
static bool out_blocked;
/* A source was told that there is no room, and waits to be woken. */
static bool starved;

static unsigned char *in;
static uint32_t in_size, in_head, in_tail;
static bool pending;

static void update_interest(void) {
  /* A sidecar that does not read gets no more of its requests served: every answer needs room. */
  bool room = OUT_BYTES - out_tail + out_head > OUT_RESERVE / 2;
  uint32_t reading = room && !pending ? EPOLLIN : 0;
  uint32_t writing = out_blocked ? EPOLLOUT : 0;
  if (one_socket) {
    watch_set(&input, reading | writing);
  } else {
    watch_set(&input, reading);
    watch_set(&output, writing);
  }
}

static void write_out(void) {
  out_blocked = false;
  while (out_head < out_tail) {
    ssize_t wrote = write(one_socket ? input.fd : output.fd, out + out_head, out_tail - out_head);
    if (wrote > 0) {
      out_head += (uint32_t)wrote;
    } else if (errno == EAGAIN) {
      out_blocked = true;
      break;
    } else if (errno != EINTR) {
      _exit(0); /* the sidecar is gone, and the container goes with it */
    }
  }
  if (out_head == out_tail) out_head = out_tail = 0;
  if (!starved) return;
  /* Cleared first: it is set again where the room is used up again. */
  starved = false;
  sources_wake();
}

void stream_flush(void) {
  if (out_tail > out_head && !out_blocked) write_out();
  update_interest();
}

static void make_room(uint32_t bytes) {
  if (OUT_BYTES - out_tail >= bytes) return;
  memmove(out, out + out_head, out_tail - out_head);
  out_tail -= out_head;
  out_head = 0;
  if (OUT_BYTES - out_tail < bytes) die("the out buffer is full");
}

static void put_header(enum frame_type type, uint32_t channel, uint32_t length) {
  put32(out + out_tail, (uint32_t)type << 24 | length);
  put32(out + out_tail + 4, channel);
}

void stream_send(enum frame_type type, uint32_t channel, const void *payload, uint32_t length) {
  make_room(HEADER_BYTES + length);
  put_header(type, channel, length);
  if (length > 0) memcpy(out + out_tail + HEADER_BYTES, payload, length);
  out_tail += HEADER_BYTES + length;
}

void stream_send32(enum frame_type type, uint32_t channel, uint32_t value) {
  unsigned char payload[4];
  put32(payload, value);
  stream_send(type, channel, payload, sizeof payload);
}

uint32_t stream_room(void) {
  uint32_t used = out_tail - out_head;
  uint32_t limit = OUT_BYTES - OUT_RESERVE - HEADER_BYTES;
  if (used >= limit) {
    starved = true;
    return 0;
  }
  return limit - used < MAX_DATA ? limit - used : MAX_DATA;
}

unsigned char *stream_reserve(void) {
  make_room(HEADER_BYTES + stream_room());
  return out + out_tail + HEADER_BYTES;
}

void stream_commit(enum frame_type type, uint32_t channel, uint32_t length) {
  put_header(type, channel, length);
  out_tail += HEADER_BYTES + length;
}

/* Makes the in buffer hold a frame of `bytes`, or shrinks it back once a large one has been served. */
static void size_in(uint32_t bytes) {
  if (in_head > 0) memmove(in, in + in_head, in_tail - in_head);
  in_tail -= in_head;
  in_head = 0;
  uint32_t wanted = bytes > IN_BYTES ? bytes : IN_BYTES;
  if (wanted == in_size || in_tail > wanted) return;
  unsigned char *grown = realloc(in, wanted);
  if (grown == NULL) die("out of memory");
  in = grown;
  in_size = wanted;
}

/* Serves whole frames until they run out or the turn's share of spawns is used up. */
static void serve(void) {
  int spawns = 0;
  pending = false;
  while (in_tail - in_head >= HEADER_BYTES) {
    uint32_t word = get32(in + in_head);
    uint32_t length = word & 0xffffffu;
    enum frame_type type = (enum frame_type)(word >> 24);
    if (length > (type == FRAME_SPAWN ? MAX_SPAWN : MAX_DATA)) die("a frame is too long");
    if (in_tail - in_head < HEADER_BYTES + length) {
      if (in_size - in_head < HEADER_BYTES + length) size_in(HEADER_BYTES + length);
      return;
    }
    /* A burst of spawns must not starve what already runs. */
    if (type == FRAME_SPAWN && ++spawns > 8) {
      pending = true;
      return;
    }
    dispatch(type, get32(in + in_head + 4), in + in_head + HEADER_BYTES, length);
    in_head += HEADER_BYTES + length;
  }
  if (in_head == in_tail) in_head = in_tail = 0;
  if (in_size != IN_BYTES || in_head > 0) size_in(IN_BYTES);
}

static void stream_ready(struct watch *self, uint32_t events) {
  (void)self;
  if (events & EPOLLOUT) write_out();
  if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)) || pending) return;
  if (in_tail == in_size) size_in(in_size);
  ssize_t got = read(input.fd, in + in_tail, in_size - in_tail);
  if (got > 0) {
    in_tail += (uint32_t)got;
    serve();
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    _exit(0); /* the sidecar is gone, and the container goes with it */
  }
}

bool stream_pending(void) { return pending; }

void stream_resume(void) {
  if (pending) serve();
}

void stream_open(int in_fd, int out_fd) {
  one_socket = in_fd == out_fd;
  input = (struct watch){.fd = in_fd, .ready = stream_ready};
  output = (struct watch){.fd = out_fd, .ready = stream_ready};
  in = malloc(IN_BYTES);
  if (in == NULL) die("out of memory");
  in_size = IN_BYTES;
  update_interest();
}
