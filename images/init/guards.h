/* Init's side of the guards: those that serve a command, and a few that wait for one. */
#ifndef SALLYPORT_GUARDS_H
#define SALLYPORT_GUARDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "guard.h"
#include "loop.h"

struct process;

struct guard {
  struct guard *next;
  pid_t pid;
  struct watch watch; /* the socket to it */
  struct shared *shared;
  struct process *process; /* NULL: it waits */
};

/* Makes the first guard ahead of its time. */
void guards_open(void);
/* Hands a command to a guard, making one where none waits. NULL with errno where that fails. */
struct guard *guard_start(struct process *process, const unsigned char *payload, uint32_t length, const int descriptors[3]);
/* Asks for the end of the tree of the guard's current command. */
void guard_kill(struct guard *self);
/* Sends SIGTERM to the tree of the guard's current command. */
void guard_terminate(struct guard *self);
/* The command is over and nothing of it is left with the guard, who may serve again. True where its orphans are init's, and are being swept up. */
bool guard_release(struct guard *self);
/* The guard did not obey, or is dead: kills it if need be, and sweeps up what it guarded. */
void guard_give_up(struct guard *self);
/* Reaps guards and orphans, and continues stopped guards; called when a child has ended or stopped. */
void guards_reap(void);
/* True while orphans of a lost guard may still live. */
bool guards_sweeping(void);
/* Goes on with sweeping. True while there is something left to do soon. */
bool guards_sweep(void);

#endif
