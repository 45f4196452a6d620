import { type AbsolutePath, parentOf } from "../../model/absolute-path.ts";

/** A folder or file beyond the session's own that a command is shown. */
export interface OpenFolder {
  readonly root: AbsolutePath;
  readonly access: "ro" | "rw";
  /** True where an answer opens it, false where a rule does. */
  readonly asked: boolean;
}

/** One entry a root, writable where one of them is; and none that another shows already. */
export function mergeFolders(folders: readonly OpenFolder[]): readonly OpenFolder[] {
  const byRoot = new Map<AbsolutePath, OpenFolder>();
  for (const { root, access, asked } of folders) {
    const before = byRoot.get(root);
    byRoot.set(root, {
      root,
      access: before?.access === "rw" ? "rw" : access,
      asked: asked || before?.asked === true,
    });
  }
  return [...byRoot.values()].filter((folder) => !isShown(folder, byRoot));
}

/** True where a folder above shows it as it is needed. */
function isShown({ root, access }: OpenFolder, byRoot: ReadonlyMap<AbsolutePath, OpenFolder>): boolean {
  for (let at = root; at !== "/";) {
    at = parentOf(at);
    const above = byRoot.get(at);
    if (above !== undefined && (above.access === "rw" || access === "ro")) return true;
  }
  return false;
}
