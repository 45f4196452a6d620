/* The one framed stream to the sidecar. Never blocks: what cannot be written waits in a bounded buffer. */
#ifndef SALLYPORT_STREAM_H
#define SALLYPORT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

/* Uses `in` and `out` (the same descriptor for a socket). */
void stream_open(int in, int out);
/* Reads and dispatches; called by the loop. */
void stream_flush(void);
/* True while frames were read but not yet dispatched: the loop must not sleep. */
bool stream_pending(void);
/* Dispatches what an earlier turn left over. */
void stream_resume(void);

/* Queues a frame with a small payload. There is always room: such frames are few per channel, and data leaves a reserve. */
void stream_send(enum frame_type type, uint32_t channel, const void *payload, uint32_t length);
void stream_send32(enum frame_type type, uint32_t channel, uint32_t value);

/* Room for the payload of one data frame now, in bytes; 0 where the buffer is full. */
uint32_t stream_room(void);
/* Where to put up to `stream_room()` bytes of payload; stream_commit() makes them a frame. */
unsigned char *stream_reserve(void);
void stream_commit(enum frame_type type, uint32_t channel, uint32_t length);

#endif
