/* The commands that run, each with its guard and its channel. */
#ifndef SALLYPORT_PROCESS_H
#define SALLYPORT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "counts.h"
#include "flow.h"
#include "guard.h"

#define MAX_PROCESSES 256

struct process {
  struct process *next;
  uint32_t channel;
  struct guard *guard; /* NULL: nothing of the tree is left */
  pid_t pid;
  struct source out, err;
  struct sink in;
  int master; /* of the terminal, for its size; -1 without one */
  uint32_t credit;       /* output bytes the sidecar will take now, standard output and error together */
  uint32_t first_credit; /* the same, from the start: nothing is sent before the command is reported as started */
  int64_t started_us;
  int64_t exited_ms;
  int64_t kill_at_ms; /* when the guard itself is killed because it did not obey; 0: not asked yet */
  bool started, exited;
  bool lost;        /* its guard was lost, or could not adopt: what is left is being swept up */
  bool parked;      /* a terminal that nobody has open now; looked at from time to time */
  bool terminating; /* the sidecar has it asked to end, and will kill what does not */
  bool asked;       /* the sidecar wants it killed */
  bool rest_killed; /* something outlived the command and was killed */
  bool file_limited;    /* its files have a limit */
  struct counts before; /* what the kernel had refused the container when it started */
  int status;
  enum limit limit;
  int64_t user_us, system_us, max_rss_bytes;
};

/* Starts a command from the payload of a spawn frame (spawn.c). A fault is reported on the channel. */
void process_spawn(uint32_t channel, const unsigned char *payload, uint32_t length);
/* Takes in a command whose guard is at work. `in` -1: nobody writes to it. `err` -1: a terminal has one output. */
void process_add(struct process *self, int in, int out, int err);
struct process *process_find(uint32_t channel);
uint32_t process_count(void);

void process_terminate(struct process *self);
void process_kill(struct process *self);
void process_discard(struct process *self);
void process_credit(struct process *self, uint32_t bytes);
void process_signal(struct process *self, int number);
void process_resize(struct process *self, uint16_t columns, uint16_t rows);

/* A guard's word about its command. */
void process_report(struct process *self, const struct report *report);
/* Called after all reports that were there. */
void process_reported(struct process *self);
/* The guard was lost. */
void process_unguarded(struct process *self);

/* Does what is due by the clock; returns milliseconds until something is due next, -1 for never. */
int process_tick(void);

#endif
