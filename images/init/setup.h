/*
 * What a launcher leaves to init, as arguments before the socket's path:
 *   --user UID:GID    become that user, without groups and capabilities
 *   --commands UID:GID  stay who it is, and let commands become that user: for kernels where init's own user could trace or end it
 *   --own PATH        give that folder to the user first; may be repeated
 *   --processes N     RLIMIT_NPROC of setrlimit(2)
 *   --data BYTES      RLIMIT_DATA, for each process
 * Most engines' runtimes do all of this themselves, so there are none then.
 */
#ifndef SALLYPORT_SETUP_H
#define SALLYPORT_SETUP_H

#include <stdbool.h>
#include <sys/types.h>

struct user {
  uid_t uid;
  gid_t gid;
};

/* The user whom commands are to become; NULL where they stay init's own. */
const struct user *command_user(void);

/* Becomes a user, without groups. Leaving root loses every capability. Safe in the child of vfork(2). */
bool user_become(const struct user *user);

/* Makes what init creates the command's user's, or its own again; nothing where they are the same. Signals and /proc go by the real user, who stays. */
void user_act(bool acting);

/* Does what the arguments say and returns what is left of them. Ends init where it cannot. */
char **setup(char **arguments);

#endif
