/* What the kernel has refused the container so far: tells a kill for want of memory from any other. */
#ifndef SALLYPORT_COUNTS_H
#define SALLYPORT_COUNTS_H

struct counts {
  long memory_kills, refused_forks; /* 0 for ever where the kernel does not tell */
};

/* Opens the files that tell. */
void counts_open(void);
struct counts counts_now(void);

#endif
