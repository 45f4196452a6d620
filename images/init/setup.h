/*
 * What a launcher without an engine leaves to init, as arguments before the socket's path:
 *   --user UID:GID    become that user, without groups and capabilities
 *   --own PATH        give that folder to the user first; may be repeated
 *   --processes N     RLIMIT_NPROC of setrlimit(2)
 *   --data BYTES      RLIMIT_DATA, for each process
 * An engine's runtime does all of this itself, so there are none then.
 */
#ifndef SALLYPORT_SETUP_H
#define SALLYPORT_SETUP_H

/* Does what the arguments say and returns what is left of them. Ends init where it cannot. */
char **setup(char **arguments);

#endif
