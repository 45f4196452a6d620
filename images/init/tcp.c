#include "tcp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stream.h"

static struct watch listener = {.fd = -1};
static struct connection *connections;
static uint32_t count;
static uint32_t next_channel = FIRST_TCP_CHANNEL;

struct connection *tcp_find(uint32_t channel) {
  struct connection *connection = connections;
  while (connection != NULL && connection->channel != channel) connection = connection->next;
  return connection;
}

static void forget(struct connection *self) {
  struct connection **link = &connections;
  while (*link != self) link = &(*link)->next;
  *link = self->next;
  count--;
  source_close(&self->from);
  sink_close(&self->to);
  free_later(self);
  watch_set(&listener, EPOLLIN);
}

void tcp_reset(struct connection *self) {
  struct linger now = {.l_onoff = 1, .l_linger = 0};
  int fd = self->from.watch.fd >= 0 ? self->from.watch.fd : self->to.watch.fd;
  if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  forget(self);
}

static void fail(struct connection *self) {
  stream_send(FRAME_RESET, self->channel, NULL, 0);
  tcp_reset(self);
}

static void from_ended(struct source *source, int error) {
  struct connection *self = CONTAINER_OF(source, struct connection, from);
  if (error != 0) {
    fail(self);
    return;
  }
  stream_send(FRAME_EOF, self->channel, NULL, 0);
  source_close(source);
  if (self->to.watch.fd < 0) forget(self);
}

static void to_ended(struct sink *sink, int error) {
  struct connection *self = CONTAINER_OF(sink, struct connection, to);
  if (error != 0) {
    fail(self);
    return;
  }
  shutdown(sink->watch.fd, SHUT_WR);
  sink_close(sink);
  if (self->from.watch.fd < 0) forget(self);
}

void tcp_credit(struct connection *self, uint32_t bytes) {
  if (bytes > WINDOW || self->credit + bytes > WINDOW) die("the sidecar granted more than a window");
  self->credit += bytes;
  source_update(&self->from);
}

static uint32_t new_channel(void) {
  uint32_t channel;
  do {
    channel = next_channel;
    next_channel = next_channel == UINT32_MAX ? FIRST_TCP_CHANNEL : next_channel + 1;
  } while (tcp_find(channel) != NULL);
  return channel;
}

static void accept_one(struct watch *watch, uint32_t events) {
  (void)events;
  int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return;
  int sending = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  struct connection *self = sending < 0 ? NULL : calloc(1, sizeof *self);
  if (self == NULL) {
    close(fd);
    if (sending >= 0) close(sending);
    return;
  }
  int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  self->channel = new_channel();
  self->next = connections;
  connections = self;
  self->from = (struct source){.type = FRAME_STDOUT, .channel = self->channel, .credit = &self->credit, .ended = from_ended};
  self->to = (struct sink){.channel = self->channel, .ended = to_ended};
  stream_send(FRAME_OPEN, self->channel, NULL, 0);
  source_open(&self->from, fd);
  sink_open(&self->to, sending);
  /* The rest waits in the kernel's queue until one of these is over. */
  if (++count >= MAX_CONNECTIONS) watch_set(&listener, 0);
}

bool tcp_open(void) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(TCP_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 128) < 0) return false;
  listener = (struct watch){.fd = fd, .ready = accept_one};
  watch_set(&listener, EPOLLIN);
  return true;
}
