/*
 * Payload of a spawn frame: u32 flags, u32 credit, u16 columns, u16 rows, u32 argument count, u32 variable count,
 * u32 open files, u32 processes, u64 file bytes, u64 memory bytes, u64 CPU microseconds (limits; 0: none of the command's own),
 * then NUL-terminated strings: the working directory, the arguments, the variables (NAME=value).
 */
#ifndef SALLYPORT_REQUEST_H
#define SALLYPORT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#define REQUEST_FIXED_BYTES 52u

/* 0: none. */
struct limits {
  uint64_t open_files, file_bytes;          /* of each process, by setrlimit(2) */
  uint64_t processes, memory_bytes, cpu_us; /* of the whole tree, by the guard's own measure */
};

struct request {
  const char *cwd;
  char **argv, **envp; /* one allocation, at argv; the strings stay in the payload */
  struct limits limits;
};

/* Takes the payload apart. False where it is malformed, and nothing is allocated then. */
bool request_parse(unsigned char *payload, uint32_t length, struct request *request);

#endif
