import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";

/** Place and hash of the newest record, as they were last noted. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** The head of the chain, kept beside the store: without it nobody could tell that the newest records were cut off. */
export interface HeadFile {
  /** What the file said when it was opened or last written; `empty` for a new file, `unreadable` for anything else that is no head. */
  read(): Head | "empty" | "unreadable";
  /** Overwrites in place, without a flush: one write of one line of constant length. @throws the system's error. */
  write(head: Head): void;
  close(): void;
}

/** Characters for the number, so that every line has the same length. */
const numberLength = 16;
const line = /^(\d{16}) ([0-9a-f]{64})\n$/;
const lineLength = numberLength + 66;

/** Opens or makes the file, 0600. @throws the system's error. */
export function openHeadFile(path: string): HeadFile {
  const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  return {
    read() {
      // One byte more than a line, so that a longer file is seen.
      const bytes = Buffer.alloc(lineLength + 1);
      const length = readSync(descriptor, bytes, 0, bytes.length, 0);
      if (length === 0) return "empty";
      const [, seq, hash] = line.exec(bytes.toString("latin1", 0, length)) ?? [];
      return seq === undefined || hash === undefined ? "unreadable" : { seq: Number(seq), hash };
    },
    write(head) {
      writeSync(descriptor, `${String(head.seq).padStart(numberLength, "0")} ${head.hash}\n`, 0, "latin1");
    },
    close: () => closeSync(descriptor),
  };
}
