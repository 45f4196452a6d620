/* The only way out: connections to 127.0.0.1:3128 become channels of the stream. */
#ifndef SALLYPORT_TCP_H
#define SALLYPORT_TCP_H

#include <stdbool.h>
#include <stdint.h>

#include "flow.h"

#define TCP_PORT 3128
#define MAX_CONNECTIONS 256

struct connection {
  struct connection *next;
  uint32_t channel;
  struct source from; /* bytes from the process inside */
  struct sink to;
  uint32_t credit;
};

/* Listens. False where the port cannot be had: then nothing may be started, for a command could take it instead. */
bool tcp_open(void);
struct connection *tcp_find(uint32_t channel);
void tcp_credit(struct connection *self, uint32_t bytes);
/* Ends a connection in both directions, with a TCP reset towards the process. */
void tcp_reset(struct connection *self);

#endif
