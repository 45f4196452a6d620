/* Finds and kills processes by descent. */
#ifndef SALLYPORT_TREE_H
#define SALLYPORT_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * One pass of killing everything that descends from `root` and is not spared (nor descends from a spared one).
 * Processes are stopped until a scan finds no new one, and killed then, so that a fork bomb cannot outrun the scan.
 * The caller repeats passes until none of its children is left. Returns whether there was anything to kill.
 */
bool tree_kill(pid_t root, bool (*spared)(pid_t pid));

/* Sends a signal to everything that descends from `root`, and wakes what is stopped. */
void tree_signal(pid_t root, int number);

struct tree_usage {
  uint64_t processes, memory_bytes, cpu_us;
};

/*
 * What everything that descends from `root` uses now: resident memory that is not shared with files, CPU time with that of children
 * that were waited for.
 */
struct tree_usage tree_measure(pid_t root);

#endif
