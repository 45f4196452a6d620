import type { AbsolutePath } from "./absolute-path.ts";
import type { ExecAction } from "./action.ts";
import type { SessionId } from "./ids.ts";
import type { WindowSize } from "./intent.ts";
import type { Permit } from "./permit.ts";
import type { Scope } from "./scope.ts";

/** What a runtime can enforce on this machine. */
export interface Features {
  readonly name: string;
  readonly available: boolean;
  /** Why not, and what to install; empty where it is available. */
  readonly reason: string;
  /** True where the reason may pass by itself, as where an engine is silent: trying again may help. */
  readonly passing?: boolean;
  readonly version: string;
  /** Enforced here: `no-network`, `no-capabilities`, `seccomp`, `read-only-root`, `memory-limit`, `cpu-limit`, `pids-limit`. */
  readonly enforces: readonly string[];
  /** `socket`: the one-shot unix socket; `attach`: the engine's attach stream. */
  readonly carrier: "socket" | "attach";
}

/** Bounds of one sandbox. */
export interface SandboxLimits {
  readonly memoryBytes: number;
  /** In CPUs: 1.5 is one and a half. */
  readonly cpus: number;
  readonly pids: number;
  readonly tmpBytes: number;
  /** Open files of each process; absent: what the runtime gives. */
  readonly openFiles?: number;
  /** Bytes of each file that is written; absent: any. */
  readonly fileBytes?: number;
}

/** A place that no command may change, because something outside the sandbox runs or obeys what is there. */
export interface GuardedPlace {
  readonly path: AbsolutePath;
  /** What keeps the name taken while the sandbox lives where nothing is there. Undefined: then there is nothing to guard. */
  readonly hold: Hold | undefined;
}

/** What keeps a name taken: an empty folder, or a file that changes nothing for the programs outside that read it. */
export type Hold = { readonly kind: "folder" } | { readonly kind: "file"; readonly content: string };

/** What a sandbox is made of. Two equal specs may share nothing but the image. */
export interface SandboxSpec {
  readonly session: SessionId;
  /** An image's name, or an absolute path of a root folder where the runtime has no images; undefined: the runtime's own. */
  readonly image: string | undefined;
  readonly workspace: AbsolutePath;
  readonly scopes: readonly Scope[];
  /** Folders inside the scopes that no command may see: Sallyport's own state, settings and runtime folders. */
  readonly hidden: readonly AbsolutePath[];
  /** Places in writable scopes that programs outside obey or run: read-only inside, but for scopes in them. Absent: none. */
  readonly guarded?: readonly GuardedPlace[];
  /** Files and folders that a rule denies to write: read-only inside whatever is granted, and so are scopes in them. Absent: none. */
  readonly locked?: readonly AbsolutePath[];
  /** What `$HOME` and `~` mean to a command, as the analysis judged them. An empty folder of the sandbox's own, but for scopes in it. */
  readonly home: AbsolutePath;
  readonly limits: SandboxLimits;
  /** Certificate of an authority, PEM, that programs inside trust beside the usual ones; absent: none. The same for all sandboxes of a session. */
  readonly authority?: string;
  /** Variables of every command, which a command's own replace; absent: none. The same for all sandboxes. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Resource use of a finished command, as in getrusage(2) for its children. */
export interface ResourceUsage {
  readonly userMicros: number;
  readonly systemMicros: number;
  readonly maxRssBytes: number;
}

/** How a command ended. */
export interface ProcessExit {
  readonly kind: "exit";
  /** Exit status 0 to 255; undefined where a signal ended it. */
  readonly code: number | undefined;
  /** Signal number; undefined where it exited. */
  readonly signal: number | undefined;
  readonly durationMs: number;
  readonly usage: ResourceUsage;
  /** True where output past the cap was dropped. */
  readonly truncated: boolean;
  /**
   * The limit that ended it, or that it ran into before it failed: `timeout`, `idle`, `output`, `memory`, `cpu`, `pids`, `file-size`;
   * undefined where none did.
   */
  readonly limit?: string;
}

/** What a running command says of itself. */
export type ProcessEvent =
  | { readonly kind: "started"; readonly pid: number }
  | { readonly kind: "stdout" | "stderr"; readonly data: Uint8Array }
  | ProcessExit;

/** A running command. */
export interface Process {
  /** Exactly one `started` first and exactly one `exit` last, unless it throws. Reading grants credit: a slow reader slows the command. */
  readonly events: AsyncIterable<ProcessEvent>;
  /** Resolves with true when the bytes were taken by the flow control, with false where the command or its input ended before. */
  writeStdin(data: Uint8Array): Promise<boolean>;
  closeStdin(): void;
  resize(size: WindowSize): void;
  /** Sends a signal to the command's process group. */
  signal(number: number): void;
  /** Ends the whole tree of the command: SIGTERM to every process, SIGKILL to what is left after a grace period. Resolves when it is gone. */
  end(): Promise<void>;
  /** Kills the whole tree of the command at once; resolves when it is gone. */
  kill(): Promise<void>;
}

/** One container (or jail) that runs many commands. */
export interface Sandbox {
  readonly id: string;
  /** @throws Problem `not_found` (program or folder missing), `failed_precondition`, `unavailable`. */
  spawn(permit: Permit<ExecAction>, signal: AbortSignal): Promise<Process>;
  /** Connections that processes inside open to 127.0.0.1:3128. */
  onConnection(handler: (connection: InsideConnection) => void): void;
  /** Resolves with the reason when the sandbox is gone. */
  readonly gone: Promise<string>;
  close(): Promise<void>;
}

/** A byte stream from inside a sandbox to the sidecar's proxy. Reading grants credit, so a slow reader slows the sender. */
export interface InsideConnection {
  readonly session: SessionId;
  /** The next bytes; undefined at end of file. Rejects where the connection was reset. */
  read(): Promise<Uint8Array | undefined>;
  /** Resolves when the bytes were taken by the flow control. Rejects where the connection was reset. */
  write(data: Uint8Array): Promise<void>;
  /** Half-closes the direction towards the process. */
  end(): void;
  /** Resets both directions. */
  destroy(): void;
}

/** A way to make sandboxes. A runtime that cannot enforce what was asked throws. */
export interface Runtime {
  readonly name: string;
  probe(): Promise<Features>;
  create(spec: SandboxSpec, signal: AbortSignal): Promise<Sandbox>;
  /** Removes what a crashed sidecar left behind; returns how many. */
  removeOrphans(): Promise<number>;
}
