/* What no command may ask of the kernel, whatever runs the sandbox. */
#ifndef SALLYPORT_FILTER_H
#define SALLYPORT_FILTER_H

/*
 * Installs the filter for init and all that it starts. Needs no_new_privs. It comes on top of the engine's own, of which there is none under
 * bubblewrap, and older ones let through io_uring and sockets to the hypervisor.
 */
void filter_install(void);

#endif
