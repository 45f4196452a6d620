import type { AbsolutePath } from "../../../model/absolute-path.ts";

/** A symbolic link that the text made, on the way to some path. */
export interface LinkOn {
  readonly link: string;
  readonly target: AbsolutePath;
}

/** The first link on the way to a path, as the kernel meets them: from the root down. `last`: one that is the path itself counts, too. */
export function linkOn(
  path: AbsolutePath,
  linked: ReadonlyMap<AbsolutePath, AbsolutePath>,
  last: boolean,
): LinkOn | undefined {
  if (linked.size === 0) return undefined;
  for (let cut = path.indexOf("/", 1); cut > 0; cut = path.indexOf("/", cut + 1)) {
    const link = path.slice(0, cut) as AbsolutePath;
    const target = linked.get(link);
    if (target !== undefined) return { link, target };
  }
  const target = last ? linked.get(path) : undefined;
  return target === undefined || target === path ? undefined : { link: path, target };
}
