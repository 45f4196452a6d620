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

#include "guard.h"
#include "memory.h"
#include "stream.h"
#include "tree.h"

/* How long a grandchild may keep the output open in silence after its command has ended. */
#define GRACE_MS 250
/* How long a guard has to obey before init kills it and sweeps up what it guarded. */
#define OBEY_MS 2000
#define SWEEP_MS 10

static struct process *processes;
static uint32_t count;
static bool sweeping;

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
  watch_close(&self->report);
  source_close(&self->out);
  source_close(&self->err);
  sink_close(&self->in);
  free_later(self);
}

/* Exit: i32 code (-1: a signal), u32 signal, u32 flags, u64 user, system and wall microseconds, u64 peak resident bytes. */
static void send_exit(struct process *self) {
  unsigned char payload[44];
  bool signalled = WIFSIGNALED(self->status);
  uint32_t flags = self->rest_killed ? EXIT_KILLED_REST : 0;
  if (signalled && WTERMSIG(self->status) == SIGKILL && !self->asked && memory_was_short()) flags |= EXIT_MEMORY;
  put32(payload, signalled ? UINT32_MAX : (uint32_t)WEXITSTATUS(self->status));
  put32(payload + 4, signalled ? (uint32_t)WTERMSIG(self->status) : 0);
  put32(payload + 8, flags);
  put64(payload + 12, (uint64_t)self->user_us);
  put64(payload + 20, (uint64_t)self->system_us);
  put64(payload + 28, (uint64_t)(now_us() - self->started_us));
  put64(payload + 36, (uint64_t)self->max_rss_bytes);
  stream_send(FRAME_EXIT, self->channel, payload, sizeof payload);
}

/* What is left in a pipe once nobody of the tree can write to it. False where credit or room ran out first. */
static bool drain(struct process *self, struct source *source) {
  while (source->watch.fd >= 0) {
    enum pumped pumped = source_pump(source);
    if (pumped == PUMP_EMPTY) return true;
    /* What was killed on request does not wait for a reader. */
    if (pumped == PUMP_BLOCKED) return self->asked;
  }
  return true;
}

/* Ends the command on the stream once its tree is gone and its last byte is sent. */
static void settle(struct process *self) {
  if (!self->exited || !self->gone) return;
  if (!drain(self, &self->out) || !drain(self, &self->err)) return;
  send_exit(self);
  forget(self);
}

static void ask_guard(struct process *self) {
  if (self->kill_sent || self->gone) return;
  self->kill_sent = true;
  self->kill_at_ms = now_ms() + OBEY_MS;
  kill(self->guard, SIGCONT);
  kill(self->guard, GUARD_KILL);
}

void process_kill(struct process *self) {
  self->asked = true;
  ask_guard(self);
  settle(self);
}

static void output_ended(struct source *source, int error) {
  (void)error;
  struct process *self = source->type == FRAME_STDOUT ? CONTAINER_OF(source, struct process, out) : CONTAINER_OF(source, struct process, err);
  source_close(source);
  /* Nothing more can come: what outlives the command now has no reader and no purpose. */
  if (self->exited && !self->gone && self->out.watch.fd < 0 && self->err.watch.fd < 0) {
    self->rest_killed = true;
    ask_guard(self);
  }
}

static void input_ended(struct sink *sink, int error) {
  struct process *self = CONTAINER_OF(sink, struct process, in);
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

static void guard_lost(struct process *self) {
  self->gone = true;
  watch_close(&self->report);
  /* Where the guard was killed before it could tell, its command is an orphan now, and orphans are swept. */
  sweeping = true;
  if (!self->exited) {
    self->exited = true;
    self->status = SIGKILL;
  }
  settle(self);
}

static void serve_report(struct process *self, const struct report *report) {
  switch (report->kind) {
    case REPORT_STARTED:
      self->started = true;
      self->pid = report->pid;
      self->credit += self->first_credit;
      stream_send32(FRAME_STARTED, self->channel, (uint32_t)report->pid);
      return;
    case REPORT_FAILED: {
      unsigned char payload[8];
      put32(payload, (uint32_t)report->error);
      put32(payload + 4, (uint32_t)report->stage);
      stream_send(FRAME_FAILED, self->channel, payload, sizeof payload);
      forget(self);
      return;
    }
    case REPORT_EXITED:
      self->exited = true;
      self->status = report->status;
      self->user_us = report->user_us;
      self->system_us = report->system_us;
      self->max_rss_bytes = report->max_rss_bytes;
      if (report->alone) {
        self->gone = true;
        watch_close(&self->report);
        settle(self);
      } else {
        self->out.last_read_ms = self->err.last_read_ms = now_ms();
        if (self->out.watch.fd < 0 && self->err.watch.fd < 0) {
          self->rest_killed = true;
          ask_guard(self);
        }
      }
      return;
  }
}

static void report_ready(struct watch *watch, uint32_t events) {
  (void)events;
  struct process *self = CONTAINER_OF(watch, struct process, report);
  while (watch->fd >= 0) {
    struct report report;
    ssize_t got = read(watch->fd, &report, sizeof report);
    if (got == (ssize_t)sizeof report) {
      serve_report(self, &report);
    } else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      break;
    } else {
      guard_lost(self);
    }
  }
  /* Only now: the output of a command that is over already was drained without the loop. */
  source_update(&self->out);
  source_update(&self->err);
}

void process_add(struct process *self, int report, int in, int out, int err) {
  self->next = processes;
  processes = self;
  count++;
  self->report = (struct watch){.fd = report, .ready = report_ready};
  self->in = (struct sink){.channel = self->channel, .watch.fd = -1, .ended = input_ended};
  self->out = (struct source){.type = FRAME_STDOUT, .channel = self->channel, .credit = &self->credit, .ended = output_ended};
  self->err = self->out;
  self->err.type = FRAME_STDERR;
  self->err.watch.fd = -1;
  self->master = err < 0 ? out : -1;
  watch_set(&self->report, EPOLLIN);
  source_open(&self->out, out);
  if (err >= 0) source_open(&self->err, err);
  if (in >= 0) sink_open(&self->in, in);
}

void process_credit(struct process *self, uint32_t bytes) {
  if (bytes > WINDOW || self->credit + bytes > WINDOW) die("the sidecar granted more than a window");
  self->credit += bytes;
  if (self->gone) {
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

static bool is_guard(pid_t pid) {
  for (struct process *process = processes; process != NULL; process = process->next)
    if (process->guard == pid && !process->gone) return true;
  return false;
}

void process_reaped(pid_t pid) {
  for (struct process *process = processes; process != NULL; process = process->next) {
    if (process->guard != pid) continue;
    /* Its last report may still be unread. */
    report_ready(&process->report, EPOLLIN);
    return;
  }
}

/* Milliseconds of silence on an output that is open and could be read. */
static int64_t silence(const struct process *self, int64_t now) {
  if (self->credit == 0 || stream_room() == 0) return 0;
  int64_t last = self->out.last_read_ms > self->err.last_read_ms ? self->out.last_read_ms : self->err.last_read_ms;
  return now - last;
}

int process_tick(void) {
  int wait = -1;
  int64_t now = now_ms();
  for (struct process *process = processes, *next; process != NULL; process = next) {
    next = process->next;
    if (process->gone) {
      settle(process);
      continue;
    }
    if (process->exited && !process->kill_sent) {
      if (silence(process, now) >= GRACE_MS) {
        process->rest_killed = true;
        ask_guard(process);
      } else {
        wait = 50;
      }
    }
    if (process->kill_sent) {
      if (now >= process->kill_at_ms) {
        kill(process->guard, SIGKILL);
        sweeping = true;
      } else if (wait < 0) {
        wait = 100;
      }
    }
  }
  if (sweeping) {
    sweeping = tree_kill(getpid(), is_guard);
    if (sweeping) wait = SWEEP_MS;
  }
  return wait;
}
