import type { AbsolutePath } from "../model/absolute-path.ts";

/** One thing that a container sees, and where. */
export type PlannedMount =
  | {
      readonly kind: "folder";
      readonly source: AbsolutePath;
      readonly target: AbsolutePath;
      readonly readOnly: boolean;
      readonly identity: FileIdentity;
      /** True for what is kept read-only in a writable folder: it must not be there in another way either. */
      readonly guard?: true;
    }
  | { readonly kind: "mask-folder" | "mask-file"; readonly target: AbsolutePath };

/** Which file it is, as in stat(2): what was judged and what was mounted can be compared. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/** Mounts in an order in which no later one hides an earlier one, and the owner that commands run as. */
export interface MountPlan {
  readonly mounts: readonly PlannedMount[];
  readonly user: UserId;
}

/** A user of the kernel and his group. */
export interface UserId {
  readonly uid: number;
  readonly gid: number;
}
