/* Whether a guard that waited is still as it was made: a command of the same user may have limited or slowed it, and the next command would inherit that. */
#ifndef SALLYPORT_SOUND_H
#define SALLYPORT_SOUND_H

#include <stdbool.h>
#include <sys/types.h>

/* Notes what a new guard has, before any command runs. */
void sound_note(pid_t guard);
/* Whether a guard has what that one had, and runs on the terms that init runs on now. */
bool sound_is(pid_t guard);

#endif
