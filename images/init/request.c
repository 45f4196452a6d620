#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "wire.h"

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

bool request_parse(unsigned char *payload, uint32_t length, struct request *request) {
  if (length < REQUEST_FIXED_BYTES) return false;
  uint32_t argc = get32(payload + 12), envc = get32(payload + 16);
  request->limits = (struct limits){
    .open_files = get32(payload + 20),
    .processes = get32(payload + 24),
    .file_bytes = get64(payload + 28),
    .memory_bytes = get64(payload + 36),
    .cpu_us = get64(payload + 44),
  };
  if (argc == 0 || argc > length || envc > length) return false;
  request->argv = malloc(((size_t)argc + envc + 2) * sizeof(char *));
  if (request->argv == NULL) return false;
  char *at = (char *)payload + REQUEST_FIXED_BYTES;
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
