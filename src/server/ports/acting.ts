import type { AbsolutePath } from "../../model/absolute-path.ts";
import type {
  Action,
  ActionOf,
  FetchAction,
  ListAction,
  ReadAction,
  StatAction,
  WriteAction,
} from "../../model/action.ts";
import type { Below, MakePreview } from "../../model/gate-ports.ts";
import type { EntryId } from "../../model/ids.ts";
import type { Command, FetchIntent, Intent } from "../../model/intent.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { Permit } from "../../model/permit.ts";
import type { Sandbox } from "../../model/runtime.ts";
import type { Scope } from "../../model/scope.ts";
import type { Session } from "../../model/session.ts";
import type { Subject } from "../../model/subject.ts";

/** A request that may act: its permit, and the audit entry that waits for the outcome. */
export interface Admission<A extends Action> {
  readonly entry: EntryId;
  readonly permit: Permit<A>;
  /** What the permit is for, so that it can be prepared. It is no leave to act. */
  readonly action: A;
  /** The command that runs because a person put it in the place of what was asked for. */
  readonly instead?: Command;
  /** Looks once more, after what took time and before the act, whether it may still be done. @throws Problem `permission_denied`, `aborted`. */
  confirm(): void;
  /** Records the outcome. The first call counts, later ones are ignored. */
  end(outcome: Outcome): void;
}

/** The only door between asking and acting. */
export interface Gate {
  /** @throws Problem `permission_denied` with a denial, `aborted`, `cancelled`, `unavailable`, `invalid_argument`. */
  admit<I extends Intent>(
    subject: Subject,
    intent: I,
    signal: AbortSignal,
    preview?: MakePreview<I>,
  ): Promise<Admission<ActionOf<I>>>;
}

/** Warm containers. */
export interface Sandboxes {
  /** The session's sandbox for a command with these folders, started where there is none. @throws Problem `failed_precondition`, `not_found` (image), `unavailable`. */
  acquire(session: Session, scopes: readonly Scope[], signal: AbortSignal): Promise<Sandbox>;
  /** True where a newer one of its session has taken its place: it stays as long as something runs in it. */
  superseded(sandbox: Sandbox): boolean;
}

/**
 * Reads an absolute path, with `..` taken out as the kernel does: links before it are followed first. Undefined where it is none.
 * @throws Problem `failed_precondition` where nobody can tell where `..` leads.
 */
export type ParsePath = (text: string) => AbsolutePath | undefined;

/** What is known of one path. */
export interface FileInfo {
  /** The path below the listed folder in a list, the whole path elsewhere; bytes that are not UTF-8 as in path-bytes.ts of the model. */
  readonly name: string;
  readonly kind: "file" | "folder" | "symlink" | "other";
  readonly size: number;
  /** Permission bits without the type. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** RFC 3339 in UTC with nanoseconds. */
  readonly modifiedAt: string;
  /** Names that the same file has. */
  readonly links: number;
  /** Bytes on the disk. */
  readonly allocated: number;
  /** Only where it was asked for. */
  readonly sha256?: Uint8Array;
}

/** An open file. `chunks` is read to the end, or `close` is called. */
export interface FileReading {
  readonly info: FileInfo;
  readonly content: { readonly kind: "text" | "binary"; readonly encoding: string };
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Known once `chunks` ended. */
  readonly end: () => ReadEnd;
  readonly close: () => void;
}

/** How a reading ended. */
export interface ReadEnd {
  /** True where a cap ended it before the end of the file or of the range. */
  readonly truncated: boolean;
  readonly endOfFile: boolean;
  /** 0 where no lines were asked for. */
  readonly lines: number;
  /** Of the whole file, where it was asked for and sent. */
  readonly sha256?: Uint8Array;
}

/** A page of a folder's entries. */
export interface FolderListing {
  readonly entries: readonly FileInfo[];
  readonly truncated: boolean;
  /** The cursor of a page that ends with this one of its entries; undefined: the whole page. */
  readonly cursorAfter: (last: FileInfo | undefined) => string;
}

/** Race-safe file work. All throw Problem `not_found`, `already_exists`, `failed_precondition`, `permission_denied`, `resource_exhausted`. */
export interface Files {
  read(permit: Permit<ReadAction>, signal: AbortSignal): Promise<FileReading>;
  /** Nothing is there before `chunks` ended without throwing. */
  write(
    permit: Permit<WriteAction>,
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<{ readonly info: FileInfo; readonly bytes: number }>;
  stat(permit: Permit<StatAction>, signal: AbortSignal): Promise<FileInfo>;
  /** `below` says what may be named. */
  list(permit: Permit<ListAction>, below: Below, signal: AbortSignal): Promise<FolderListing>;
}

/** One request on the way to an answer. */
export interface FetchHop {
  readonly url: string;
  /** Address that was judged and connected to, with port. */
  readonly address: string;
  readonly status: number;
  /** Milliseconds with fractions that its steps took, one after the other. */
  readonly timings: {
    readonly dnsMs: number;
    readonly connectMs: number;
    readonly tlsMs: number;
    readonly firstByteMs: number;
  };
}

/** The answer to a fetch. `body` is read to its end, or `close` is called. */
export interface FetchResult {
  readonly status: number;
  /** As received, in order. */
  readonly headers: readonly (readonly [string, string])[];
  readonly finalUrl: string;
  /** All requests, the last one included. */
  readonly hops: readonly FetchHop[];
  /** Decoded bytes. */
  readonly body: AsyncIterable<Uint8Array>;
  /** True where the cap ended the body; known once the body ended. */
  readonly truncated: boolean;
  close(): Promise<void>;
}

/** Asks the gate for leave to follow a redirect. @throws Problem where it is refused. */
export type NextHop = (hop: FetchIntent) => Promise<Permit<FetchAction>>;

/** Makes text of the body of an answer. */
export interface PageReader {
  /** @throws Problem `failed_precondition` where it is no text, `resource_exhausted` where it takes too much. */
  read(
    body: Uint8Array,
    contentType: string,
    baseUrl: string,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly mediaType: string }>;
}

/** Fetches URLs. */
export interface Fetcher {
  /** Fetches what the permit names, each redirect with a permit of its own. @throws Problem. */
  fetch(permit: Permit<FetchAction>, next: NextHop, signal: AbortSignal): Promise<FetchResult>;
}
