import type { AbsolutePath } from "./absolute-path.ts";

/** What a path leads to now. */
export interface Located {
  /** Symbolic links followed as far as the path exists; the rest appended as written. */
  readonly real: AbsolutePath;
  readonly kind: "file" | "folder" | "other" | "missing";
}

/** One entry of a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: "link" | "folder" | "other";
}

/** What analysis needs to know of the machine. Reads, never changes. Tests give fakes. */
export interface Facts {
  /** Follows symbolic links. @throws where it cannot tell (a loop, no permission): counts as deny for that effect. */
  locate(path: AbsolutePath): Located;
  /**
   * What lies in a folder whose path holds no link, in any order, without `.` and `..`; nothing where it cannot be listed. Undefined where there is more than
   * `most`. @throws for a link whose name is not UTF-8: nobody could say where it leads.
   */
  entries(folder: AbsolutePath, most: number): readonly FolderEntry[] | undefined;
  /** Home of the commands' user inside the sandbox and of the sidecar's user outside: both are protected. */
  readonly homes: readonly AbsolutePath[];
  /** What `$HOME` and `~` mean to a command. */
  readonly home: AbsolutePath;
  readonly user: string;
  /** Home of a named user as in passwd(5); undefined where unknown. */
  homeOf(user: string): AbsolutePath | undefined;
  /** Why a canonical host is not globally routable; undefined where it is public, a name, or allowed by configuration. */
  internalHost(host: string, port: number): string | undefined;
  /** Sallyport's own folders: settings, state, sockets. Writes there are denied, and reads of state too. */
  readonly own: readonly AbsolutePath[];
}
