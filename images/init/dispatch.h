/* Hands each frame from the sidecar to what it is for. */
#ifndef SALLYPORT_DISPATCH_H
#define SALLYPORT_DISPATCH_H

#include <stdint.h>

#include "wire.h"

void dispatch(enum frame_type type, uint32_t channel, const unsigned char *payload, uint32_t length);
/* The out buffer has room again: sources that waited for it read on. */
void sources_wake(void);

#endif
