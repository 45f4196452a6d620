#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_STOP_ROUNDS 64

enum place { UNKNOWN, ON_THE_WAY, INSIDE, OUTSIDE };

struct entry {
  pid_t pid, parent;
  unsigned long long ticks; /* CPU time, with that of children that were waited for */
  enum place place;
  bool leaderless; /* its first thread has ended, and with it went the way to what the process uses */
  bool zombie;     /* all of it has ended */
  bool stopped;    /* by whoever traces it */
};

/* Processes, sorted by number. */
struct table {
  struct entry *entries;
  size_t count, size;
};

static bool read_text(pid_t pid, const char *name, char *text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got = read(fd, text, size - 1);
  close(fd);
  if (got <= 0) return false;
  text[got] = '\0';
  return true;
}

/* Reads state, parent and times from /proc/PID/stat (proc(5)). The name in it may hold anything, so the last `)` counts. */
static bool read_stat(pid_t pid, struct entry *entry) {
  char text[512];
  if (!read_text(pid, "stat", text, sizeof text)) return false;
  const char *after = strrchr(text, ')');
  char state;
  int parent;
  unsigned long user, system;
  long children_user, children_system, threads;
  const char *form = " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld %*d %*d %ld";
  if (after == NULL || sscanf(after + 1, form, &state, &parent, &user, &system, &children_user, &children_system, &threads) != 7) return false;
  /* The state is the first thread's. One that ends alone leaves a zombie whose other threads go on. */
  bool ended = state == 'Z' || state == 'X';
  *entry = (struct entry){
    .pid = pid,
    .parent = parent,
    .ticks = user + system + (unsigned long long)children_user + (unsigned long long)children_system,
    .leaderless = ended && threads > 1,
    .zombie = ended && threads <= 1,
    .stopped = state == 't',
  };
  return true;
}

static int by_number(const void *a, const void *b) {
  pid_t left = ((const struct entry *)a)->pid, right = ((const struct entry *)b)->pid;
  return (left > right) - (left < right);
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
  qsort(table->entries, table->count, sizeof *table->entries, by_number);
  return true;
}

static struct entry *find(const struct table *table, pid_t pid) {
  struct entry key = {.pid = pid};
  if (table->count == 0) return NULL;
  return bsearch(&key, table->entries, table->count, sizeof *table->entries, by_number);
}

/* Follows parents up to one whose place is known, and gives it to all on the way: each entry is walked twice at most. */
static void place(const struct table *table, struct entry *entry, pid_t root, bool (*spared)(pid_t pid)) {
  enum place found = UNKNOWN;
  struct entry *at = entry;
  while (found == UNKNOWN) {
    if (at == NULL || at->place == ON_THE_WAY) found = OUTSIDE; /* a parent that has gone, or a circle of reused numbers */
    else if (at->place != UNKNOWN) found = at->place;
    else if (at->pid == root || (spared != NULL && spared(at->pid))) found = at->place = OUTSIDE;
    else if (at->parent == root) found = at->place = INSIDE;
    else {
      at->place = ON_THE_WAY;
      at = find(table, at->parent);
    }
  }
  for (at = entry; at != NULL && at->place == ON_THE_WAY; at = find(table, at->parent)) at->place = found;
}

/* Marks what descends from `root`. Returns how many these are. */
static size_t mark(struct table *table, pid_t root, bool (*spared)(pid_t pid)) {
  size_t marked = 0;
  for (size_t i = 0; i < table->count; i++) {
    place(table, &table->entries[i], root, spared);
    marked += table->entries[i].place == INSIDE;
  }
  return marked;
}

static bool lives(const struct entry *entry) { return entry->place == INSIDE && !entry->zombie; }

static void send_all(const struct table *table, int number) {
  for (size_t i = 0; i < table->count; i++)
    if (lives(&table->entries[i])) kill(table->entries[i].pid, number);
}

/* Who traces a process; 0: nobody whom we see. */
static pid_t tracer_of(pid_t pid) {
  char text[1024];
  if (!read_text(pid, "status", text, sizeof text)) return 0;
  const char *line = strstr(text, "\nTracerPid:");
  return line == NULL ? 0 : (pid_t)strtol(line + strlen("\nTracerPid:"), NULL, 10);
}

/* What is traced may stop on its way out, and is a zombie until its tracer has looked. A tracer of another command need never do so: it goes as well. */
static void release_traced(const struct table *table) {
  for (size_t i = 0; i < table->count; i++) {
    const struct entry *entry = &table->entries[i];
    pid_t tracer = entry->place == INSIDE && (entry->zombie || entry->stopped) ? tracer_of(entry->pid) : 0;
    if (tracer > 1) kill(tracer, SIGKILL);
  }
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
  release_traced(&table);
  free(table.entries);
  return found > 0;
}

void tree_signal(pid_t root, int number) {
  struct table table = {0};
  if (scan(&table) && mark(&table, root, NULL) > 0) {
    send_all(&table, number);
    send_all(&table, SIGCONT);
  }
  free(table.entries);
}

/* A thread that lives; 0 where there is none. The newest: the first is the one that has ended. */
static pid_t last_thread(pid_t pid) {
  char path[40];
  pid_t found = 0;
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR *directory = opendir(path);
  if (directory == NULL) return 0;
  for (struct dirent *name; (name = readdir(directory)) != NULL;) {
    pid_t thread = (pid_t)strtol(name->d_name, NULL, 10);
    if (thread > 0) found = thread;
  }
  closedir(directory);
  return found;
}

/* Resident pages that are no file's: `resident` less `shared` of statm. */
static uint64_t pages_of(const struct entry *entry) {
  char name[32] = "statm", text[128];
  unsigned long resident, shared;
  if (entry->leaderless) snprintf(name, sizeof name, "task/%d/statm", (int)last_thread(entry->pid));
  if (!read_text(entry->pid, name, text, sizeof text) || sscanf(text, "%*u %lu %lu", &resident, &shared) != 2) return 0;
  return resident > shared ? resident - shared : 0;
}

struct tree_usage tree_measure(pid_t root) {
  struct table table = {0};
  struct tree_usage usage = {0};
  uint64_t ticks = 0, pages = 0;
  if (scan(&table)) mark(&table, root, NULL);
  for (size_t i = 0; i < table.count; i++) {
    const struct entry *entry = &table.entries[i];
    if (entry->place != INSIDE) continue;
    ticks += entry->ticks;
    if (!lives(entry)) continue;
    usage.processes++;
    pages += pages_of(entry);
  }
  free(table.entries);
  usage.memory_bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
  usage.cpu_us = ticks * 1000000u / (uint64_t)sysconf(_SC_CLK_TCK);
  return usage;
}
