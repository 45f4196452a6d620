import type { ListAction, ReadAction, StatAction, WriteAction } from "../model/action.ts";
import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Below } from "../model/gate-ports.ts";
import { Permit } from "../model/permit.ts";
import { infoOf, type FileInfo } from "./file-info.ts";
import { hashFile } from "./hash-file.ts";
import { withJudged } from "./judged-path.ts";
import { listFolder, type FolderListing } from "./list-folder.ts";
import { readFile, type FileReading } from "./read-file.ts";
import { createTempJournal } from "./temp-journal.ts";
import { writeFile, type FileWritten } from "./write-file.ts";

/** What the file service is made of. */
export interface FilesOptions {
  /** A folder of its own inside Sallyport's state folder, for the notes about temporary files. */
  readonly journal: AbsolutePath;
  /** Bytes that one read may give. */
  readonly maxReadBytes?: number;
  /** Bytes that one write may bring. */
  readonly maxWriteBytes?: number;
}

/** The file service. Each method throws Problem; `aborted` means that the path led elsewhere than when it was judged. */
export interface Files {
  read(permit: Permit<ReadAction>, signal: AbortSignal): Promise<FileReading>;
  /** Writes whole or not at all. */
  write(permit: Permit<WriteAction>, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<FileWritten>;
  stat(permit: Permit<StatAction>, signal: AbortSignal): Promise<FileInfo>;
  list(permit: Permit<ListAction>, below: Below, signal: AbortSignal): Promise<FolderListing>;
  /** Removes temporary files that a crash left; for the start, before the first write. Returns how many. */
  sweep(): Promise<number>;
}

const gibibyte = 1 << 30;

/** Makes the file service. */
export function createFiles(options: FilesOptions): Files {
  const journal = createTempJournal(options.journal);
  const maxReadBytes = options.maxReadBytes ?? 16 * gibibyte;
  const maxBytes = options.maxWriteBytes ?? 16 * gibibyte;
  return {
    read: async (permit, signal) => readFile(Permit.redeem(permit, "read"), maxReadBytes, signal),
    write: async (permit, chunks, signal) =>
      writeFile(Permit.redeem(permit, "write"), chunks, { journal, maxBytes, signal }),
    stat: async (permit, signal) => {
      const { path, hash, session } = Permit.redeem(permit, "stat");
      if (hash === true)
        return hashFile({ kind: "read", path, offset: 0, length: 0, hash, session }, maxReadBytes, signal);
      return withJudged(path, ({ stats }) => infoOf(path, stats));
    },
    list: async (permit, below, signal) => {
      const action = Permit.redeem(permit, "list");
      return listFolder(action, below("read", action.path), signal);
    },
    sweep: () => journal.sweep(),
  };
}
