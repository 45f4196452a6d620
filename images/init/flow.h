/* Bytes from a descriptor to the stream (source) and from the stream to a descriptor (sink), each under credit. */
#ifndef SALLYPORT_FLOW_H
#define SALLYPORT_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "loop.h"
#include "wire.h"

struct source {
  struct watch watch;
  enum frame_type type;
  uint32_t channel;
  uint32_t *credit; /* bytes the sidecar will still take; two sources of a command share one */
  bool discards;    /* what is read is dropped, whatever the credit */
  void (*ended)(struct source *self, int error); /* 0: end of file */
  int64_t last_read_ms;
  struct source *next, *previous;
};

struct sink {
  struct watch watch;
  uint32_t channel;
  unsigned char *buffer; /* WINDOW bytes, made when a write would block */
  uint32_t head, length;
  uint32_t owed;      /* bytes taken and not yet granted again */
  uint32_t allowance; /* bytes the sidecar may still send */
  bool ending;        /* close once the buffer is empty */
  void (*ended)(struct sink *self, int error); /* 0: all was written after sink_end() */
};

void source_open(struct source *self, int fd);
void source_close(struct source *self);
enum pumped {
  PUMP_EMPTY,   /* nothing more is there now, or the source has ended */
  PUMP_MORE,    /* there may be more */
  PUMP_BLOCKED, /* no credit, or no room in the stream */
};
/* Reads what credit and room allow, one turn's share at most. */
enum pumped source_pump(struct source *self);
/* True where what is there can be read now. */
bool source_flows(const struct source *self);
/* Watches the descriptor where it flows, and only then. */
void source_update(struct source *self);

/* Opens a sink on `fd` that may be sent WINDOW bytes at first. */
void sink_open(struct sink *self, int fd);
void sink_put(struct sink *self, const unsigned char *bytes, uint32_t length);
void sink_end(struct sink *self);
void sink_close(struct sink *self);

#endif
