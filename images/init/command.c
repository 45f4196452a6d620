#include "command.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "setup.h"
#include "wire.h"

/* Written by the child of vfork(2), which shares this memory until it has become the command. */
static volatile int failed_errno, failed_stage;

static _Noreturn void fail(int stage) {
  failed_errno = errno;
  failed_stage = stage;
  _exit(127);
}

/*
 * execve(2) along PATH of the command's own environment. Not execvp(3): where a file has no known format some libraries
 * run it with /bin/sh, and nothing but what was judged may run.
 */
static void execute(const struct request *request) {
  const char *name = request->argv[0];
  if (strchr(name, '/') != NULL) {
    execve(name, request->argv, request->envp);
    return;
  }
  const char *path = "";
  for (char **entry = request->envp; *entry != NULL; entry++)
    if (strncmp(*entry, "PATH=", 5) == 0) path = *entry + 5;
  bool denied = false;
  size_t name_length = strlen(name);
  char full[4096];
  while (*path != '\0') {
    size_t length = strcspn(path, ":");
    /* An empty or relative entry would mean the current folder. */
    if (name_length > 0 && *path == '/' && length + name_length + 2 <= sizeof full) {
      memcpy(full, path, length);
      full[length] = '/';
      memcpy(full + length + 1, name, name_length + 1);
      execve(full, request->argv, request->envp);
      if (errno == EACCES) denied = true;
      else if (errno != ENOENT && errno != ENOTDIR) return;
    }
    path += length;
    while (*path == ':') path++;
  }
  errno = denied ? EACCES : ENOENT;
}

/* Never above what holds already: only a privileged process may raise its limits. */
static void limit(int resource, uint64_t value) {
  struct rlimit limit;
  if (value == 0) return;
  if (getrlimit(resource, &limit) < 0) fail(STAGE_SETUP);
  if (limit.rlim_max > value) limit.rlim_max = value;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(resource, &limit) < 0) fail(STAGE_SETUP);
}

static _Noreturn void become(const struct request *request, const int descriptors[3], bool terminal) {
  setsid();
  /* The guard keeps 0, 1 and 2 on /dev/null, so no descriptor is overwritten before its turn. */
  for (int i = 0; i < 3; i++)
    if (dup2(descriptors[i], i) < 0) fail(STAGE_SETUP);
  if (terminal && ioctl(0, TIOCSCTTY, 0) < 0) fail(STAGE_SETUP);
  if (command_user() != NULL && !user_become(command_user())) fail(STAGE_SETUP);
  if (chdir(request->cwd) < 0) fail(STAGE_CHDIR);
  limit(RLIMIT_NOFILE, request->limits.open_files);
  limit(RLIMIT_FSIZE, request->limits.file_bytes);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0});
  for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
  umask(022);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execute(request);
  fail(STAGE_EXEC);
}

struct start command_start(const struct request *request, const int descriptors[3], bool terminal) {
  failed_errno = failed_stage = 0;
  pid_t pid = vfork();
  if (pid == 0) become(request, descriptors, terminal);
  if (pid < 0) return (struct start){.error = errno, .stage = STAGE_FORK};
  return (struct start){.pid = pid, .error = failed_errno, .stage = failed_stage};
}
