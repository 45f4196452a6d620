/*
 * PID 1 of a sandbox. Runs commands for the sidecar over one framed stream: a connection to the unix socket named by its
 * last argument, or its standard input and output. When that stream ends, it ends, and every process of the container with it.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "counts.h"
#include "filter.h"
#include "guards.h"
#include "loop.h"
#include "process.h"
#include "setup.h"
#include "stream.h"
#include "tcp.h"

static struct watch children = {.fd = -1};

static void child_ended(struct watch *watch, uint32_t events) {
  (void)events;
  struct signalfd_siginfo info;
  while (read(watch->fd, &info, sizeof info) > 0) continue;
  guards_reap();
}

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) die("the socket's path is too long");
  memcpy(address.sun_path, path, strlen(path));
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) die("cannot connect to the sidecar");
  int size = 512 * 1024;
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  return fd;
}

/* Moves a descriptor out of the way of 0, 1 and 2. */
static int move(int fd) {
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (moved < 0) die("out of descriptors");
  return moved;
}

static void harden(void) {
  /* Not dumpable: /proc/1/fd, mem and environ belong to root then, and no command of the same user can trace init. */
  if (prctl(PR_SET_DUMPABLE, 0) < 0) die("cannot become undumpable");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) die("cannot give up new privileges");
  close_others(-1);
  filter_install();
}

static void catch_signals(void) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  sigaddset(&blocked, GUARD_WAKE);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  signal(SIGPIPE, SIG_IGN);
  sigdelset(&blocked, GUARD_WAKE);
  children = (struct watch){.fd = signalfd(-1, &blocked, SFD_NONBLOCK | SFD_CLOEXEC), .ready = child_ended};
  if (children.fd < 0) die("signalfd failed");
  watch_set(&children, EPOLLIN);
}

int main(int argc, char **argv) {
  /* First: a change of user would make init dumpable again. */
  char **arguments = setup(argv + (argc > 0));
  harden();
  int in, out;
  if (*arguments != NULL) {
    in = out = connect_to(*arguments);
  } else {
    in = move(0);
    out = move(1);
  }
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0) die("cannot open /dev/null");
  fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
  fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);

  loop_open();
  catch_signals();
  counts_open();
  if (!tcp_open()) die("cannot listen on 127.0.0.1:3128");
  guards_open();
  stream_open(in, out);
  unsigned char hello[8];
  put32(hello, WIRE_VERSION);
  put32(hello + 4, FEATURE_PTY | FEATURE_TCP | FEATURE_TREE);
  stream_send(FRAME_HELLO, 0, hello, sizeof hello);

  for (;;) {
    int wait = process_tick();
    stream_flush();
    free_now();
    loop_turn(stream_pending() ? 0 : wait);
    stream_resume();
  }
}
