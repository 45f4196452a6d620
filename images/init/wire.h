/*
 * The frames between the sidecar and init. The TypeScript end is src/wire/; both must change together, with WIRE_VERSION.
 *
 * A frame is a header of 8 bytes, two little-endian 32-bit words (type << 24 | payload length, channel), then the payload.
 * Channels of commands are chosen by the sidecar (1 to 2^31-1), channels of forwarded TCP connections by init (2^31 and up).
 */
#ifndef SALLYPORT_WIRE_H
#define SALLYPORT_WIRE_H

#include <stdint.h>

#define WIRE_VERSION 2u
#define FEATURE_PTY 1u
#define FEATURE_TCP 2u
#define FEATURE_TREE 4u

#define HEADER_BYTES 8u
#define MAX_DATA (64u * 1024u)
#define MAX_SPAWN (1024u * 1024u)
/* What either side may send on a channel towards a command or a connection before it is granted more. */
#define WINDOW (256u * 1024u)
#define FIRST_TCP_CHANNEL 0x80000000u

enum frame_type {
  FRAME_HELLO = 1,   /* init: u32 version, u32 features */
  FRAME_SPAWN = 2,   /* sidecar: see spawn.c */
  FRAME_STARTED = 3, /* init: u32 pid */
  FRAME_FAILED = 4,  /* init: u32 errno, u32 stage */
  FRAME_DATA = 5,    /* sidecar: standard input, or bytes for a connection */
  FRAME_STDOUT = 6,  /* init: standard output, or bytes from a connection */
  FRAME_STDERR = 7,  /* init */
  FRAME_EOF = 8,     /* both: this direction has ended */
  FRAME_CREDIT = 9,  /* both: u32 further bytes the other side may send */
  FRAME_RESIZE = 10, /* sidecar: u16 columns, u16 rows */
  FRAME_SIGNAL = 11, /* sidecar: u32 number, to the process group */
  FRAME_KILL = 12,   /* sidecar: the whole tree */
  FRAME_EXIT = 13,   /* init: see exit.c */
  FRAME_OPEN = 14,   /* init: a connection was accepted; it sends nothing before it is granted credit */
  FRAME_RESET = 15,  /* both: a connection is over, in both directions */
  FRAME_PING = 16,   /* sidecar: 8 bytes */
  FRAME_PONG = 17,   /* init: the same 8 bytes */
  FRAME_STAT = 18,   /* sidecar: a path */
  FRAME_STATED = 19, /* init: u32 errno, u32 mode, u64 device, u64 inode */
  FRAME_TERMINATE = 20, /* sidecar: SIGTERM to every process of the tree */
  FRAME_DISCARD = 21, /* sidecar: what the command writes from now on is read and dropped */
};

enum failed_stage { STAGE_SETUP = 1, STAGE_FORK = 2, STAGE_CHDIR = 3, STAGE_EXEC = 4, STAGE_LIMIT = 5, STAGE_REQUEST = 6 };

#define SPAWN_STDIN 1u
#define SPAWN_PTY 2u

#define EXIT_KILLED_REST 1u /* processes of the tree outlived the command and were killed */

/* The limit that ended a command, or that it ran into before it failed. */
enum limit { LIMIT_NONE, LIMIT_MEMORY, LIMIT_CPU, LIMIT_PIDS, LIMIT_FILE_SIZE };

static inline uint16_t get16(const unsigned char *at) { return (uint16_t)(at[0] | at[1] << 8); }
static inline uint32_t get32(const unsigned char *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static inline uint64_t get64(const unsigned char *at) { return get32(at) | (uint64_t)get32(at + 4) << 32; }
static inline void put32(unsigned char *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> (8 * i));
}
static inline void put64(unsigned char *at, uint64_t value) {
  for (int i = 0; i < 8; i++) at[i] = (unsigned char)(value >> (8 * i));
}

#endif
