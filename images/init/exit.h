/* Tells the sidecar how a command ended. */
#ifndef SALLYPORT_EXIT_H
#define SALLYPORT_EXIT_H

#include "process.h"

void exit_send(const struct process *self);

#endif
