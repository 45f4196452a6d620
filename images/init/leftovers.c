#include "leftovers.h"

#include <stddef.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

/* Commands that say what lies at an index without asking for leave to read it, linux/shm.h, linux/msg.h and linux/sem.h: not every libc has them. */
#define SHM_LOOK 15
#define MSG_LOOK 13
#define SEM_LOOK 20

/* The fourth argument of semctl(2), which its callers define. */
union semaphore_argument {
  int value;
  struct semid_ds *set;
  struct seminfo *about;
};

static void remove_memory(void) {
  struct shm_info about;
  struct shmid_ds found;
  int last = shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&about);
  if (last < 0 || about.used_ids == 0) return;
  for (int index = 0; index <= last; index++) {
    int id = shmctl(index, SHM_LOOK, &found);
    if (id >= 0) shmctl(id, IPC_RMID, NULL);
  }
}

static void remove_queues(void) {
  struct msginfo about;
  struct msqid_ds found;
  int last = msgctl(0, MSG_INFO, (struct msqid_ds *)(void *)&about);
  if (last < 0 || about.msgpool == 0) return;
  for (int index = 0; index <= last; index++) {
    int id = msgctl(index, MSG_LOOK, &found);
    if (id >= 0) msgctl(id, IPC_RMID, NULL);
  }
}

static void remove_semaphores(void) {
  struct seminfo about;
  struct semid_ds found;
  int last = semctl(0, 0, SEM_INFO, (union semaphore_argument){.about = &about});
  if (last < 0 || about.semusz == 0) return;
  for (int index = 0; index <= last; index++) {
    int id = semctl(index, 0, SEM_LOOK, (union semaphore_argument){.set = &found});
    if (id >= 0) semctl(id, 0, IPC_RMID);
  }
}

void leftovers_remove(void) {
  remove_memory();
  remove_queues();
  remove_semaphores();
}
