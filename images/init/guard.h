/*
 * The guard of one command: a process between init and the command that adopts whatever the command leaves behind
 * (PR_SET_CHILD_SUBREAPER), so that its whole tree can be found and killed, whatever sessions and daemons it made.
 */
#ifndef SALLYPORT_GUARD_H
#define SALLYPORT_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* What init asks of a guard: end the tree, then yourself. */
#define GUARD_KILL SIGUSR1

struct command {
  const char *cwd;
  char **argv, **envp;
  int in, out, err; /* the command's ends */
  bool terminal;    /* they are a terminal's slave, which becomes the controlling terminal */
  int report;       /* where the guard writes its reports */
};

/* Written whole to the report pipe: started or failed, then exited. */
struct report {
  enum { REPORT_STARTED, REPORT_FAILED, REPORT_EXITED } kind;
  int32_t pid;
  int32_t error, stage;     /* failed */
  int32_t status;           /* exited: as of wait(2) */
  bool alone;               /* exited: nothing else of the tree is left */
  int64_t user_us, system_us, max_rss_bytes;
};

_Noreturn void guard_run(const struct command *command);

#endif
