/* Tells a kill by the kernel for want of memory from any other. */
#ifndef SALLYPORT_MEMORY_H
#define SALLYPORT_MEMORY_H

#include <stdbool.h>

/* Notes how often the kernel has killed in this container so far. */
void memory_open(void);
/* True where it has killed since this was last asked. */
bool memory_was_short(void);

#endif
