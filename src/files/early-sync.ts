import type { FileHandle } from "node:fs/promises";

/** Bytes after which the disk is set to work. */
const everyBytes = 32 * 1024 * 1024;

/** Has a large file brought to the disk while more of it is still coming, so that the last sync has little left to wait for. */
export interface EarlySync {
  /** So many more bytes are written. */
  readonly wrote: (bytes: number) => void;
  /** Waits for what runs. @throws what the disk said, which it says only once */
  settle(): Promise<void>;
}

/** Makes one for a file that is being written: one sync at a time, none for a small file. The caller settles it before the handle is closed. */
export function earlySync(file: Pick<FileHandle, "datasync">): EarlySync {
  let fresh = 0;
  let running: Promise<void> | undefined;
  let fault: { readonly error: unknown } | undefined;
  return {
    wrote(bytes) {
      fresh += bytes;
      if (fresh < everyBytes || running !== undefined) return;
      fresh = 0;
      running = file
        .datasync()
        .catch((error: unknown) => {
          fault ??= { error };
        })
        .finally(() => {
          running = undefined;
        });
    },
    async settle() {
      await running;
      if (fault !== undefined) throw fault.error;
    },
  };
}
