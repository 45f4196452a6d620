import type { AbsolutePath } from "./absolute-path.ts";
import type { SessionId } from "./ids.ts";
import type {
  ConnectIntent,
  CopyIntent,
  EditIntent,
  EmptyTrashIntent,
  ExecIntent,
  FetchIntent,
  Intent,
  ListIntent,
  MakeDirectoryIntent,
  MoveIntent,
  ReadIntent,
  RemoveIntent,
  RestoreIntent,
  StatIntent,
  UseIntent,
  WriteIntent,
} from "./intent.ts";
import type { Scope } from "./scope.ts";
import type { DownloadIntent, SearchIntent, UploadIntent, WatchIntent } from "./tree-intent.ts";

/** What was judged, resolved so far that an actor needs to look nothing up again. Only the gate puts one into a Permit. */
export type Action =
  | ExecAction
  | ReadAction
  | WriteAction
  | StatAction
  | ListAction
  | ChangeAction
  | TreeAction
  | FetchAction
  | ConnectAction
  | UseAction;

/** The action that an intent becomes. */
export type ActionOf<I extends Intent> = Extract<Action, { kind: I["kind"] }>;

/** A command to run, with the folders that it was judged with. */
export interface ExecAction extends ExecIntent {
  readonly session: SessionId;
  /** The session's own folder, first of the scopes. */
  readonly workspace: AbsolutePath;
  /** What is mounted: the list that the decision used. */
  readonly scopes: readonly Scope[];
  /** Image reference; undefined: the configured default. */
  readonly image: string | undefined;
}

/** For files, `path` is the real path that was judged: the actor refuses where opening it leads anywhere else. */
export interface ReadAction extends ReadIntent {
  readonly session: SessionId;
}
/** A write of the judged path. */
export interface WriteAction extends WriteIntent {
  readonly session: SessionId;
}
/** A description of the judged path. */
export interface StatAction extends StatIntent {
  readonly session: SessionId;
}
/** A listing of the judged folder. */
export interface ListAction extends ListIntent {
  readonly session: SessionId;
}
/** A walk through the judged folder. What lies below it is judged by the actor, entry by entry. */
export type TreeAction = SearchAction | WatchAction | UploadAction | DownloadAction;

/** A search below the judged folder. */
export interface SearchAction extends SearchIntent {
  readonly session: SessionId;
}
/** A watch over the judged folder. */
export interface WatchAction extends WatchIntent {
  readonly session: SessionId;
}
/** An archive that is unpacked into the judged folder. */
export interface UploadAction extends UploadIntent {
  readonly session: SessionId;
}
/** The judged folder as an archive. */
export interface DownloadAction extends DownloadIntent {
  readonly session: SessionId;
}
/** A change of judged paths. */
export type ChangeAction =
  | EditAction
  | MoveAction
  | CopyAction
  | RemoveAction
  | MakeDirectoryAction
  | RestoreAction
  | EmptyTrashAction;

/** An edit of the judged file. */
export interface EditAction extends EditIntent {
  readonly session: SessionId;
}
/** For what is named itself and not followed, a path is the real path of its folder with the name. */
export interface MoveAction extends MoveIntent {
  readonly session: SessionId;
}
/** A copy; `from` is the real path that was judged, `to` a name in a judged folder. */
export interface CopyAction extends CopyIntent {
  readonly session: SessionId;
}
/** A removal of a name in a judged folder. */
export interface RemoveAction extends RemoveIntent {
  readonly session: SessionId;
}
/** A new folder at the judged path. */
export interface MakeDirectoryAction extends MakeDirectoryIntent {
  readonly session: SessionId;
}
/** A return to a name in a judged folder. */
export interface RestoreAction extends RestoreIntent {
  readonly session: SessionId;
}
/** The end of entries of the trash. */
export interface EmptyTrashAction extends EmptyTrashIntent {
  readonly session: SessionId;
}
/** A fetch of the judged host and port. */
export interface FetchAction extends FetchIntent {
  readonly session: SessionId;
  /** Canonical host and port that were judged; the actor resolves this name and no other. */
  readonly host: string;
  readonly port: number;
}
/** A connection to the judged host and port. */
export interface ConnectAction extends ConnectIntent {
  readonly session: SessionId;
  /** Canonical host, replacing what the client wrote. */
  readonly host: string;
}
/** A use that was judged; the agent itself carries it out. */
export interface UseAction extends UseIntent {
  readonly session: SessionId;
}
