/* Becoming the command: what the child of a guard does. */
#ifndef SALLYPORT_COMMAND_H
#define SALLYPORT_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "request.h"

struct start {
  pid_t pid;
  int error, stage; /* 0: it runs */
};

/* Starts a command on three descriptors; `terminal`: they are a terminal's slave, which becomes the controlling terminal. */
struct start command_start(const struct request *request, const int descriptors[3], bool terminal);

#endif
