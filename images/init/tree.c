#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_STOP_ROUNDS 64

struct entry {
  pid_t pid, parent;
  bool inside, zombie;
};

struct table {
  struct entry *entries;
  size_t count, size;
};

/* Reads state and parent from /proc/PID/stat (proc(5)). The name in it may hold anything, so the last `)` counts. */
static bool read_stat(pid_t pid, struct entry *entry) {
  char path[32], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  if (got <= 0) return false;
  text[got] = '\0';
  const char *after = strrchr(text, ')');
  char state;
  int parent;
  if (after == NULL || sscanf(after + 1, " %c %d", &state, &parent) != 2) return false;
  *entry = (struct entry){.pid = pid, .parent = parent, .zombie = state == 'Z' || state == 'X'};
  return true;
}

static bool scan(struct table *table) {
  table->count = 0;
  DIR *directory = opendir("/proc");
  if (directory == NULL) return false;
  for (struct dirent *name; (name = readdir(directory)) != NULL;) {
    pid_t pid = (pid_t)strtol(name->d_name, NULL, 10);
    if (pid <= 0) continue;
    if (table->count == table->size) {
      size_t size = table->size == 0 ? 256 : table->size * 2;
      struct entry *grown = realloc(table->entries, size * sizeof *grown);
      if (grown == NULL) break;
      table->entries = grown;
      table->size = size;
    }
    if (read_stat(pid, &table->entries[table->count])) table->count++;
  }
  closedir(directory);
  return true;
}

/* Marks what descends from `root`, by repeated passes: parents need not come before children. */
static size_t mark(struct table *table, pid_t root, bool (*spared)(pid_t pid)) {
  size_t marked = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < table->count; i++) {
      struct entry *entry = &table->entries[i];
      if (entry->inside || entry->pid == root || (spared != NULL && spared(entry->pid))) continue;
      bool inside = entry->parent == root;
      for (size_t j = 0; !inside && j < table->count; j++)
        inside = table->entries[j].inside && table->entries[j].pid == entry->parent;
      if (!inside) continue;
      entry->inside = changed = true;
      marked++;
    }
  }
  return marked;
}

static void send_all(const struct table *table, int number) {
  for (size_t i = 0; i < table->count; i++)
    if (table->entries[i].inside && !table->entries[i].zombie) kill(table->entries[i].pid, number);
}

bool tree_kill(pid_t root, bool (*spared)(pid_t pid)) {
  struct table table = {0};
  size_t found = 0;
  for (int round = 0; round < MAX_STOP_ROUNDS && scan(&table); round++) {
    size_t before = found;
    found = mark(&table, root, spared);
    if (found == before) break;
    send_all(&table, SIGSTOP);
  }
  /* Without a stable scan this kills what is known; the next pass goes on. */
  send_all(&table, SIGKILL);
  free(table.entries);
  return found > 0;
}
