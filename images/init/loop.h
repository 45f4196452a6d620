/* The event loop: watched descriptors, and timers of the coarsest kind. */
#ifndef SALLYPORT_LOOP_H
#define SALLYPORT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* A descriptor and what to do when it is ready. Lives inside the object it belongs to. */
struct watch {
  int fd; /* -1: closed */
  uint32_t events; /* watched now; 0: not registered */
  void (*ready)(struct watch *self, uint32_t events);
};

void loop_open(void);
/* Sets what is watched; 0 takes it out of the loop. */
void watch_set(struct watch *self, uint32_t events);
/* Takes it out of the loop and closes the descriptor. Harmless on a closed one. */
void watch_close(struct watch *self);
/* Waits for events and serves them. `timeout_ms` as in epoll_wait(2). */
void loop_turn(int timeout_ms);
/* Frees memory once no event of this turn can point to it any more. */
void free_later(void *memory);
void free_now(void);
/* Milliseconds of the monotonic clock. */
int64_t now_ms(void);
int64_t now_us(void);
/* Closes every descriptor from 3 up but `kept` (-1: none). */
void close_others(int kept);
/* Ends init, and with it the container, with a line on standard error. */
_Noreturn void die(const char *what);

#define CONTAINER_OF(pointer, type, member) ((type *)(void *)((char *)(pointer) - offsetof(type, member)))

#endif
