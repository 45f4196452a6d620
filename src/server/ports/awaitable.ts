/** A result that may be there at once: the caller awaits it either way. */
export type Awaitable<T> = T | Promise<T>;
