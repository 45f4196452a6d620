#include "sound.h"

#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIMITS RLIM_NLIMITS
/* IOPRIO_WHO_PROCESS of ioprio_set(2). */
#define IO_PRIORITY_OF_PROCESS 1

static struct rlimit noted[LIMITS];

/* What cannot be asked for is zeros, now as before. */
static struct rlimit limit_of(pid_t pid, int resource) {
  struct rlimit limit;
  memset(&limit, 0, sizeof limit);
  if (prlimit(pid, resource, NULL, &limit) < 0) memset(&limit, 0, sizeof limit);
  return limit;
}

void sound_note(pid_t guard) {
  for (int resource = 0; resource < LIMITS; resource++) noted[resource] = limit_of(guard, resource);
}

static bool same_limits(pid_t guard) {
  for (int resource = 0; resource < LIMITS; resource++) {
    struct rlimit limit = limit_of(guard, resource);
    if (limit.rlim_cur != noted[resource].rlim_cur || limit.rlim_max != noted[resource].rlim_max) return false;
  }
  return true;
}

static bool same_processors(pid_t guard) {
  cpu_set_t own, theirs;
  CPU_ZERO(&own);
  CPU_ZERO(&theirs);
  if (sched_getaffinity(0, sizeof own, &own) < 0 || sched_getaffinity(guard, sizeof theirs, &theirs) < 0) return true;
  return CPU_EQUAL(&own, &theirs);
}

bool sound_is(pid_t guard) {
  /* Against init as it is now, not as it was: whoever runs the container may change all of it. The calls themselves, as musl has no scheduler. */
  return same_limits(guard) && same_processors(guard) && syscall(SYS_sched_getscheduler, guard) == syscall(SYS_sched_getscheduler, 0) &&
         syscall(SYS_getpriority, PRIO_PROCESS, guard) == syscall(SYS_getpriority, PRIO_PROCESS, 0) &&
         syscall(SYS_ioprio_get, IO_PRIORITY_OF_PROCESS, guard) == syscall(SYS_ioprio_get, IO_PRIORITY_OF_PROCESS, 0);
}
