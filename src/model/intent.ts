import type { AbsolutePath } from "./absolute-path.ts";
import type { Capability } from "./effect.ts";
import type { TreeIntent } from "./tree-intent.ts";

/** What a caller asks for, decoded and bounded, before anybody judged it. */
export type Intent =
  | ExecIntent
  | ReadIntent
  | WriteIntent
  | StatIntent
  | ListIntent
  | ChangeIntent
  | TreeIntent
  | FetchIntent
  | ConnectIntent
  | UseIntent;

/** The languages of shell text that can be parsed; PowerShell and cmd are only judged, never run in a Linux container. */
export type ShellName = "bash" | "powershell" | "cmd";

/** A command: text for a shell, or a vector of words that no shell sees. */
export type Command =
  | { readonly kind: "shell"; readonly shell: ShellName; readonly text: string }
  | { readonly kind: "argv"; readonly argv: readonly [string, ...string[]] };

/** Size of a terminal in character cells. */
export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/** Bounds of one command. */
export interface ExecLimits {
  /** Wall time in milliseconds; 0: the session's default. */
  readonly timeoutMs: number;
  /** Output bytes, stdout and stderr together, after which the rest is drained and marked truncated; 0: the session's default. */
  readonly outputBytes: number;
  /** Ends the command where its output would pass `outputBytes`. */
  readonly endAtOutput?: boolean;
  /** Milliseconds without output, and without input that the command took; absent: any. */
  readonly idleMs?: number;
  /** Milliseconds from SIGTERM to SIGKILL where it is ended; absent: the default. */
  readonly graceMs?: number;
  /** Of the whole tree of the command; absent: the session's alone. */
  readonly memoryBytes?: number;
  /** CPU time of the whole tree in milliseconds, without that of children nobody waited for; absent: any. */
  readonly cpuMs?: number;
  /** Processes of the tree; absent: the session's alone. */
  readonly pids?: number;
  /** Of each process; absent: the session's. */
  readonly openFiles?: number;
  /** Of each file that is written; absent: the session's. */
  readonly fileBytes?: number;
}

/** Run a command. */
export interface ExecIntent {
  readonly kind: "exec";
  readonly command: Command;
  readonly cwd: AbsolutePath;
  /** Variables set for this command on top of the sandbox's allow-list. */
  readonly env: Readonly<Record<string, string>>;
  /** True where the caller will send standard input; false gives end of file at once. */
  readonly stdin: boolean;
  /** True where it goes on without its caller from the start. */
  readonly background: boolean;
  /** True where it goes on when its caller leaves. */
  readonly keep?: boolean;
  readonly pty?: WindowSize;
  readonly limits: ExecLimits;
}

/** Read a file. */
export interface ReadIntent {
  readonly kind: "read";
  readonly path: AbsolutePath;
  /** First byte, from 0. */
  readonly offset: number;
  /** Bytes at most; 0: up to the cap. */
  readonly length: number;
  /** A range of lines instead of bytes: the first from 1, and how many; 0: to the end. */
  readonly lines?: { readonly from: number; readonly count: number };
  /** Bytes at most, whatever the range; absent: up to the cap. */
  readonly maxBytes?: number;
  /** True asks for the SHA-256 of the whole file. */
  readonly hash?: boolean;
}

/** A content that a file must have for a request to go on. */
export type FileVersion =
  /** SHA-256, hexadecimal. */
  | { readonly kind: "sha256"; readonly hex: string }
  /** The time of the last change as it was shown, to the nanosecond. */
  | { readonly kind: "modified"; readonly at: string };

/** What a write does where the file exists, or does not. */
export type WriteDisposition = "create" | "overwrite" | "append";

/** Write a file. */
export interface WriteIntent {
  readonly kind: "write";
  readonly path: AbsolutePath;
  /** `create`: fails where it exists. `overwrite`: creates or replaces. `append`: creates or adds at the end. */
  readonly disposition: WriteDisposition;
  readonly makeParents: boolean;
  /** Permission bits for a new file, such as 0o644; an existing file keeps its own. */
  readonly mode: number;
  /** What the file must be now; absent: anything. */
  readonly ifMatch?: FileVersion;
  /** True asks for the SHA-256 of the new content. */
  readonly hash?: boolean;
}

/** Describe a file or folder. */
export interface StatIntent {
  readonly kind: "stat";
  readonly path: AbsolutePath;
  /** True asks for the SHA-256 of a regular file. */
  readonly hash?: boolean;
}

/** List a folder. */
export interface ListIntent {
  readonly kind: "list";
  readonly path: AbsolutePath;
  /** Entries at most. */
  readonly limit: number;
  /** Levels below the folder; absent: 1. */
  readonly depth?: number;
  /** True leaves out what ignore files name. */
  readonly honorIgnoreFiles?: boolean;
  /** Absent: by name. */
  readonly order?: { readonly by: FileSort; readonly descending: boolean };
  /** Where an earlier page ended; absent: from the start. */
  readonly cursor?: string;
}

/** An order of files; equal ones are ordered by name. */
export type FileSort = "name" | "size" | "modified";

/** Changes of files and folders that bring no bytes of their own. */
export type ChangeIntent =
  | EditIntent
  | MoveIntent
  | CopyIntent
  | RemoveIntent
  | MakeDirectoryIntent
  | RestoreIntent
  | EmptyTrashIntent;

/** Change parts of a text file. */
export interface EditIntent {
  readonly kind: "edit";
  readonly path: AbsolutePath;
  /** SHA-256 of what is to be changed, hexadecimal: another change is another request. */
  readonly change: string;
}

/** Rename a file, a link or a folder. The last component is not followed, on either side. */
export interface MoveIntent {
  readonly kind: "move";
  readonly from: AbsolutePath;
  readonly to: AbsolutePath;
  /** False: fails where `to` exists. */
  readonly overwrite: boolean;
}

/** Copy a file or a folder. The last component of `to` is not followed. */
export interface CopyIntent {
  readonly kind: "copy";
  readonly from: AbsolutePath;
  readonly to: AbsolutePath;
  readonly overwrite: boolean;
  /** False: fails for a folder. */
  readonly recursive: boolean;
}

/** Remove a file, a link or a folder. The last component is not followed. */
export interface RemoveIntent {
  readonly kind: "remove";
  readonly path: AbsolutePath;
  /** False: fails for a folder that is not empty. */
  readonly recursive: boolean;
}

/** Make a folder. */
export interface MakeDirectoryIntent {
  readonly kind: "make-directory";
  readonly path: AbsolutePath;
  /** Makes missing folders on the way, and an existing folder is no failure. */
  readonly parents: boolean;
  /** Permission bits of the folder, such as 0o755. */
  readonly mode: number;
}

/** Put something from the trash back. */
export interface RestoreIntent {
  readonly kind: "restore";
  /** Its key in the trash. */
  readonly id: string;
  /** Where it goes; nothing may be there. */
  readonly path: AbsolutePath;
  /** Where it was. */
  readonly original: AbsolutePath;
  /** True for a folder with all it holds. */
  readonly folder: boolean;
}

/** Delete for good what lies in the trash. */
export interface EmptyTrashIntent {
  readonly kind: "empty-trash";
  readonly entries: readonly {
    /** Its key in the trash. */
    readonly id: string;
    /** Where it was. */
    readonly path: AbsolutePath;
    /** True for a folder with all it holds. */
    readonly folder: boolean;
  }[];
}

/** Fetch a URL. */
export interface FetchIntent {
  readonly kind: "fetch";
  /** Absolute URL as the caller wrote it; parsed by the WHATWG rules, http or https. */
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | undefined;
  /** Decoded bytes of the response body at most. */
  readonly maxBytes: number;
  /** Milliseconds for everything: resolution, all hops, the body. */
  readonly timeoutMs: number;
  /** 0 for the caller's own request, 1 to 5 for the redirect that leads here. */
  readonly hop: number;
}

/** A connection that a process in the sandbox opens through the proxy. */
export interface ConnectIntent {
  readonly kind: "connect";
  /** Authority as the client wrote it. */
  readonly host: string;
  readonly port: number;
  /** `tunnel`: CONNECT. `forward`: one plain request, with its method and URL. */
  readonly via: "tunnel" | "forward";
  readonly method?: string;
  /** The method that a header of the request asks the server to act by, where it is another one. */
  readonly overridingMethod?: string;
  readonly url?: string;
}

/** A named capability of the agent that Sallyport only judges. */
export interface UseIntent {
  readonly kind: "use";
  readonly capability: Capability;
  readonly name: string;
}
