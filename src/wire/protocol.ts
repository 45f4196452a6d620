/** Version of the frames; init says its own in the hello. The C end is images/init/wire.h: both change together. */
export const wireVersion = 2;

/** Bits of the hello's features. */
export const feature = { pty: 1, tcp: 2, tree: 4 } as const;

/** Bytes of a frame's header: two little-endian 32-bit words, `type << 24 | length` and the channel. */
export const headerBytes = 8;

/** Longest payload of a data frame in bytes, and of any other frame but a spawn. */
export const maxData = 64 * 1024;

/** Longest payload of a spawn frame in bytes: working directory, arguments and variables together. */
export const maxSpawn = 1024 * 1024;

/** Bytes that may be under way on a channel in one direction before the receiver grants more. */
export const windowBytes = 256 * 1024;

/** Channels from here up are TCP connections and numbered by init; those below are commands and numbered by the sidecar. */
export const firstTcpChannel = 0x8000_0000;

/** The type byte of each frame, as in images/init/wire.h. */
export const frameType = {
  hello: 1,
  spawn: 2,
  started: 3,
  failed: 4,
  data: 5,
  stdout: 6,
  stderr: 7,
  eof: 8,
  credit: 9,
  resize: 10,
  signal: 11,
  kill: 12,
  exit: 13,
  open: 14,
  reset: 15,
  ping: 16,
  pong: 17,
  stat: 18,
  stated: 19,
  terminate: 20,
  discard: 21,
} as const;

/** Where the start of a command failed. */
export const failedStage = { setup: 1, fork: 2, chdir: 3, exec: 4, limit: 5, request: 6 } as const;

/** Bits of the flags of a spawn frame. */
export const spawnFlag = { stdin: 1, pty: 2 } as const;
/** Bits of the flags of an exit frame. */
export const exitFlag = { killedRest: 1 } as const;
/** Limits by the number that an exit frame names them with; 0 is none. */
export const exitLimits = [undefined, "memory", "cpu", "pids", "file-size"] as const;
