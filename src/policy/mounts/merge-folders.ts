import { type AbsolutePath, isInside } from "../../model/absolute-path.ts";

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
  const all = [...byRoot.values()];
  return all.filter((folder) => !all.some((other) => other !== folder && covers(other, folder)));
}

function covers(outer: OpenFolder, { root, access }: OpenFolder): boolean {
  return isInside(outer.root, root) && (outer.access === "rw" || access === "ro");
}
