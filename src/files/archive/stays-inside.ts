/** True where a link with this target, read as a text, leads to something in the folder. `link` is its own path below the folder, by components. */
export function staysInside(link: readonly string[], target: string): boolean {
  if (target === "" || target.startsWith("/")) return false;
  let depth = link.length - 1;
  for (const name of target.split("/")) {
    if (name === "" || name === ".") continue;
    depth += name === ".." ? -1 : 1;
    if (depth < 0) return false;
  }
  return true;
}
