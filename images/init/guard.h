/*
 * A guard stands between init and one command at a time and adopts whatever the command leaves behind
 * (PR_SET_CHILD_SUBREAPER), so that its whole tree can be found and killed, whatever sessions and daemons it made.
 *
 * Guards are kept for the next command: a fork of init costs more than everything else about a start, while a guard's own
 * child shares its memory until it has become the command (vfork).
 */
#ifndef SALLYPORT_GUARD_H
#define SALLYPORT_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

/* Wakes a guard that waits for its command, to look at the serials. */
#define GUARD_WAKE SIGUSR1

/* Memory that init and one guard share. */
struct shared {
  uint32_t serial;               /* number of the guard's current command */
  volatile uint32_t kill_serial; /* the command whose tree must end: a number, so that a late request hits no later command */
  volatile uint32_t terminate_serial; /* the command whose tree is asked to end */
  bool adopts;                        /* orphans of the current command go to the guard; where the kernel has no subreapers, to init */
  uint32_t length;
  unsigned char payload[MAX_SPAWN]; /* of the spawn frame */
};

/* One message of a guard to init. */
struct report {
  enum { REPORT_STARTED, REPORT_FAILED, REPORT_EXITED, REPORT_GONE } kind;
  int32_t pid;           /* started */
  int32_t error, stage;  /* failed: the guard is free again */
  int32_t status;        /* exited: as of wait(2) */
  bool alone;            /* exited: nothing else of the tree is left, and the guard is free again */
  enum limit limit;      /* exited: the limit for which the guard killed it */
  int64_t user_us, system_us, max_rss_bytes;
};

/* Serves one command after another, each announced by a message with its three descriptors, until `socket` is closed. */
_Noreturn void guard_run(int socket, struct shared *shared);

#endif
