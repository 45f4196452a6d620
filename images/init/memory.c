#include "memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long known;

/* The `oom_kill` line of memory.events (cgroup v2) or memory.oom_control (v1). 0 where neither can be read. */
static long kills(void) {
  const char *paths[] = {"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"};
  for (int i = 0; i < 2; i++) {
    char text[512];
    int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0) continue;
    text[got] = '\0';
    const char *line = strstr(text, "oom_kill ");
    if (line != NULL) return strtol(line + strlen("oom_kill "), NULL, 10);
  }
  return 0;
}

void memory_open(void) { known = kills(); }

bool memory_was_short(void) {
  long before = known;
  known = kills();
  return known > before;
}
