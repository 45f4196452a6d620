/*
 * Payload of a spawn frame: u32 flags, u32 credit, u16 columns, u16 rows, u32 argument count, u32 variable count, then
 * NUL-terminated strings: the working directory, the arguments, the variables (NAME=value).
 */
#ifndef SALLYPORT_REQUEST_H
#define SALLYPORT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#define REQUEST_FIXED_BYTES 20u

struct request {
  const char *cwd;
  char **argv, **envp; /* one allocation, at argv; the strings stay in the payload */
};

/* Takes the payload apart. False where it is malformed, and nothing is allocated then. */
bool request_parse(unsigned char *payload, uint32_t length, struct request *request);

#endif
