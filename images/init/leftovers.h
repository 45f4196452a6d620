/* Objects of System V IPC, sysvipc(7): they belong to no process, so nothing frees them when a command's tree is killed. */
#ifndef SALLYPORT_LEFTOVERS_H
#define SALLYPORT_LEFTOVERS_H

/* Removes all of init's user. Called when no command runs, so nobody uses them. */
void leftovers_remove(void);

#endif
