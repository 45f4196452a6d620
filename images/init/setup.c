#include "setup.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loop.h"

/* Any capability there may ever be: the kernel refuses a number that it does not know, which ends the loop. */
#define MAX_CAPABILITY 63

static uint64_t number(const char *text, char end, const char **rest) {
  char *stop;
  errno = 0;
  unsigned long long value = strtoull(text, &stop, 10);
  if (errno != 0 || stop == text || *text == '-' || *stop != end) die("an argument is no number");
  if (rest != NULL) *rest = stop + 1;
  return value;
}

/* capset(2), version 3; not every libc's headers come with the kernel's. */
#define CAPABILITY_VERSION 0x20080522u
struct capability_header {
  uint32_t version;
  int pid;
};
struct capability_words {
  uint32_t effective, permitted, inheritable;
};

static void give_up_capabilities(void) {
  for (unsigned long capability = 0; capability <= MAX_CAPABILITY; capability++)
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0 && errno != EINVAL) die("cannot shrink the bounding set");
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

static struct user commands;
static bool separate;

const struct user *command_user(void) { return separate ? &commands : NULL; }

/* By hand: a libc's own would reach for all threads, which the child of vfork(2) shares with its parent. */
bool user_become(const struct user *user) {
  return syscall(SYS_setgroups, 0, NULL) == 0 && syscall(SYS_setresgid, user->gid, user->gid, user->gid) == 0 &&
         syscall(SYS_setresuid, user->uid, user->uid, user->uid) == 0;
}

void user_act(bool acting) {
  if (!separate) return;
  /* The group while it is root: nobody else may change it. */
  bool done = acting ? setresgid(-1u, commands.gid, -1u) == 0 && setresuid(-1u, commands.uid, -1u) == 0
                     : setresuid(-1u, 0, -1u) == 0 && setresgid(-1u, 0, -1u) == 0;
  if (!done) die("cannot act for the user");
}

static void become(const struct user *user) {
  if (!user_become(user)) die("cannot become the user");
  /* Leaving root clears them, staying root does not. */
  struct capability_header header = {.version = CAPABILITY_VERSION};
  struct capability_words none[2] = {{0}};
  if (syscall(SYS_capset, &header, none) < 0) die("cannot drop capabilities");
  /* A change of user has cleared it. The stream's end ends init as well. */
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

static struct user parse_user(const char *text) {
  const char *group;
  uid_t uid = (uid_t)number(text, ':', &group);
  return (struct user){.uid = uid, .gid = (gid_t)number(group, '\0', NULL)};
}

static void limit(int resource, uint64_t value) {
  struct rlimit both = {.rlim_cur = value, .rlim_max = value};
  if (setrlimit(resource, &both) < 0) die("cannot set a limit");
}

char **setup(char **arguments) {
  const char *user = NULL;
  char **owned[64];
  int count = 0;
  for (; *arguments != NULL && strncmp(*arguments, "--", 2) == 0; arguments += 2) {
    const char *value = arguments[1];
    if (value == NULL) die("an argument has no value");
    if (strcmp(*arguments, "--user") == 0) user = value;
    else if (strcmp(*arguments, "--commands") == 0) commands = parse_user(value), separate = true;
    else if (strcmp(*arguments, "--processes") == 0) limit(RLIMIT_NPROC, number(value, '\0', NULL));
    else if (strcmp(*arguments, "--data") == 0) limit(RLIMIT_DATA, number(value, '\0', NULL));
    else if (strcmp(*arguments, "--own") == 0 && count < 64) owned[count++] = arguments + 1;
    else die("an argument is unknown");
  }
  /* Nobody may gain any, and a program that becomes another user none either. */
  if (user != NULL || separate) give_up_capabilities();
  if (user == NULL) return arguments;
  struct user parsed = parse_user(user);
  for (int i = 0; i < count; i++)
    if (chown(*owned[i], parsed.uid, parsed.gid) < 0) die("cannot give a folder away");
  become(&parsed);
  return arguments;
}
