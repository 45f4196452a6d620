#include "process.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "exit.h"
#include "guards.h"
#include "leftovers.h"
#include "stream.h"

/* How long a grandchild may keep the output open after its command has ended: in silence, and at all. */
#define GRACE_MS 250
#define LONGEST_GRACE_MS 5000
/* How long a guard has to obey before init kills it and sweeps up what it guarded. */
#define OBEY_MS 2000
#define SWEEP_MS 10
#define LOOK_MS 50

static struct process *processes;
static uint32_t count;

uint32_t process_count(void) { return count; }

struct process *process_find(uint32_t channel) {
  struct process *process = processes;
  while (process != NULL && process->channel != channel) process = process->next;
  return process;
}

static void forget(struct process *self) {
  struct process **link = &processes;
  while (*link != self) link = &(*link)->next;
  *link = self->next;
  count--;
  source_close(&self->out);
  source_close(&self->err);
  sink_close(&self->in);
  free_later(self);
  if (count == 0) leftovers_remove();
}

/* Sends what is left in a pipe once nobody of the tree can write to it. False where credit or room ran out first. */
static bool drain(struct process *self, struct source *source) {
  while (source->watch.fd >= 0) {
    enum pumped pumped = source_pump(source);
    if (pumped == PUMP_EMPTY) return true;
    if (pumped == PUMP_MORE) continue;
    /* What was killed on request does not wait for a reader; nor does the end of a pipe that is empty. */
    int left = 0;
    return self->asked || (ioctl(source->watch.fd, FIONREAD, &left) == 0 && left == 0);
  }
  return true;
}

/* Ends the command on the stream once its tree is gone and its last byte is sent. */
static void settle(struct process *self) {
  if (!self->exited || self->guard != NULL || (self->lost && guards_sweeping())) return;
  if (!drain(self, &self->out) || !drain(self, &self->err)) return;
  exit_send(self);
  forget(self);
}

static void end_tree(struct process *self) {
  if (self->guard == NULL || self->kill_at_ms != 0) return;
  self->kill_at_ms = now_ms() + OBEY_MS;
  guard_kill(self->guard);
}

static void end_rest(struct process *self) {
  if (self->terminating) return;
  self->rest_killed = true;
  end_tree(self);
}

void process_terminate(struct process *self) {
  self->terminating = true;
  if (self->guard != NULL) guard_terminate(self->guard);
}

void process_discard(struct process *self) {
  self->out.discards = self->err.discards = true;
  if (self->guard == NULL) {
    settle(self);
    return;
  }
  source_update(&self->out);
  source_update(&self->err);
}

void process_kill(struct process *self) {
  self->asked = true;
  end_tree(self);
  settle(self);
}

static void output_ended(struct source *source, int error) {
  (void)error;
  struct process *self = source->type == FRAME_STDOUT ? CONTAINER_OF(source, struct process, out) : CONTAINER_OF(source, struct process, err);
  if (self->master >= 0 && !self->exited) {
    /* Every slave is closed, but the command lives: closing the master would hang up on it, and it may open its terminal again. */
    watch_set(&source->watch, 0);
    self->parked = true;
    return;
  }
  source_close(source);
  /* Nothing more can come: what outlives the command now has no reader and no purpose. */
  if (self->exited && self->guard != NULL && self->out.watch.fd < 0 && self->err.watch.fd < 0) end_rest(self);
}

static void input_ended(struct sink *sink, int error) {
  struct process *self = CONTAINER_OF(sink, struct process, in);
  /* Nobody reads any more. What was sent is let go, so that whoever sends more need not wait for the command's end. */
  if (error != 0 && sink->allowance < WINDOW) stream_send32(FRAME_CREDIT, self->channel, WINDOW - sink->allowance);
  if (error == 0 && self->master >= 0) {
    struct termios terms;
    /* A terminal has no end of file but the character for it, and in raw mode none at all. */
    if (tcgetattr(self->master, &terms) == 0 && (terms.c_lflag & ICANON)) {
      char mark = (char)terms.c_cc[VEOF];
      if (write(sink->watch.fd, &mark, 1) < 0) { /* a full terminal has nobody who would read it */
      }
    }
  }
  sink_close(sink);
}

static void refuse(struct process *self, int error, int stage) {
  unsigned char payload[8];
  put32(payload, (uint32_t)error);
  put32(payload + 4, (uint32_t)stage);
  stream_send(FRAME_FAILED, self->channel, payload, sizeof payload);
  forget(self);
}

void process_unguarded(struct process *self) {
  self->guard = NULL;
  self->lost = true;
  if (!self->started) {
    refuse(self, ESRCH, STAGE_FORK);
    return;
  }
  if (!self->exited) {
    /* Killed before it could tell: the command is swept up, so this is how it ends. */
    self->exited = true;
    self->status = SIGKILL;
  }
  settle(self);
}

static void release(struct process *self) {
  struct guard *guard = self->guard;
  self->guard = NULL;
  if (guard_release(guard)) self->lost = true;
}

static void exited(struct process *self, const struct report *report) {
  self->exited = true;
  self->exited_ms = now_ms();
  self->status = report->status;
  self->limit = report->limit;
  self->user_us = report->user_us;
  self->system_us = report->system_us;
  self->max_rss_bytes = report->max_rss_bytes;
  if (report->alone) {
    release(self);
    settle(self);
    return;
  }
  self->out.last_read_ms = self->err.last_read_ms = self->exited_ms;
  if (self->out.watch.fd < 0 && self->err.watch.fd < 0) end_rest(self);
}

void process_report(struct process *self, const struct report *report) {
  switch (report->kind) {
    case REPORT_STARTED:
      self->started = true;
      self->pid = report->pid;
      self->credit += self->first_credit;
      stream_send32(FRAME_STARTED, self->channel, (uint32_t)report->pid);
      return;
    case REPORT_FAILED:
      release(self);
      refuse(self, report->error, report->stage);
      return;
    case REPORT_EXITED:
      exited(self, report);
      return;
    case REPORT_GONE:
      release(self);
      settle(self);
      return;
  }
}

void process_reported(struct process *self) {
  /* Not before: the output of a command that is over already was drained without the loop. */
  source_update(&self->out);
  source_update(&self->err);
}

void process_add(struct process *self, int in, int out, int err) {
  self->next = processes;
  processes = self;
  count++;
  self->in = (struct sink){.channel = self->channel, .watch.fd = -1, .ended = input_ended};
  self->out = (struct source){.type = FRAME_STDOUT, .channel = self->channel, .credit = &self->credit, .ended = output_ended};
  self->err = self->out;
  self->err.type = FRAME_STDERR;
  self->err.watch.fd = -1;
  self->master = err < 0 ? out : -1;
  source_open(&self->out, out);
  if (err >= 0) source_open(&self->err, err);
  if (in >= 0) sink_open(&self->in, in);
}

void process_credit(struct process *self, uint32_t bytes) {
  if (bytes > WINDOW || self->credit + bytes > WINDOW) die("the sidecar granted more than a window");
  self->credit += bytes;
  if (self->guard == NULL) {
    settle(self);
    return;
  }
  source_update(&self->out);
  source_update(&self->err);
}

void process_signal(struct process *self, int number) {
  if (self->started && !self->exited && number > 0 && number < NSIG) kill(-self->pid, number);
}

void process_resize(struct process *self, uint16_t columns, uint16_t rows) {
  struct winsize size = {.ws_col = columns, .ws_row = rows};
  if (self->master >= 0 && self->out.watch.fd >= 0) ioctl(self->master, TIOCSWINSZ, &size);
}

/* Milliseconds of silence on an output that is open and could be read. */
static int64_t silence(const struct process *self, int64_t now) {
  if (!source_flows(&self->out)) return 0;
  int64_t last = self->out.last_read_ms > self->err.last_read_ms ? self->out.last_read_ms : self->err.last_read_ms;
  return now - last;
}

static bool rest_is_late(const struct process *self, int64_t now) {
  return silence(self, now) >= GRACE_MS || now - self->exited_ms >= LONGEST_GRACE_MS;
}

int process_tick(void) {
  int wait = -1;
  int64_t now = now_ms();
  for (struct process *process = processes, *next; process != NULL; process = next) {
    next = process->next;
    if (process->guard == NULL) {
      settle(process);
      continue;
    }
    if (process->parked) {
      process->parked = false;
      /* Watched first: where it is open again it stays so, and where it is not the read parks it anew. */
      source_update(&process->out);
      source_pump(&process->out);
      wait = LOOK_MS;
    }
    if (process->exited && process->kill_at_ms == 0 && rest_is_late(process, now)) end_rest(process);
    if (process->exited || process->kill_at_ms != 0) wait = LOOK_MS;
    if (process->kill_at_ms != 0 && now >= process->kill_at_ms) guard_give_up(process->guard);
  }
  if (!guards_sweeping()) return wait;
  /* Once more at the end of it: what waited for it is settled then. */
  return guards_sweep() ? SWEEP_MS : 0;
}
