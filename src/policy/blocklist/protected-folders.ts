import { exhausted } from "../../model/exhausted.ts";
import { isInside, resolvePath, rootPath, type AbsolutePath } from "../../model/absolute-path.ts";
import type { DynamicWord, Word } from "../shell/simple-command.ts";
import type { BlockWorld } from "./block-world.ts";
import { componentMatcher, isPattern, matchesMost, plainComponent } from "./glob-component.ts";

/** Folders without which a system does not run (hier(7), and their macOS kin). */
const systemRoots: ReadonlySet<string> = new Set(
  "/bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /proc /root /run /sbin /sys /usr /usr/bin /usr/lib /usr/lib64 /usr/sbin /usr/local /usr/share /var /var/lib /Applications /Library /System /Users /private /private/etc /private/var /Volumes".split(
    " ",
  ),
);

/** Why a word is not known that an input names item by item. */
export const listedItem = "it comes from standard input";

/** True where deleting the folder with all it holds takes the system, a home, or a folder that holds a home. */
function isProtected(path: string, { homes }: BlockWorld): boolean {
  if (path === "/" || systemRoots.has(path) || /^\/(home|Users)\/[^/]+$/.test(path)) return true;
  return homes.some((home) => isInside(path as AbsolutePath, home));
}

/** True where a word names a protected folder, everything in one, or a pattern that matches one, from any of the folders. */
export function namesProtected(word: Word, cwds: readonly (AbsolutePath | undefined)[], world: BlockWorld): boolean {
  switch (word.kind) {
    case "literal":
      return word.value !== "" && starts(word.value, cwds).some((cwd) => literalProtected(word.value, cwd, world));
    case "glob":
      return starts(word.pattern, cwds).some((cwd) => patternProtected(word.pattern, cwd, world));
    case "dynamic":
      return (
        isListed(word) &&
        starts(word.parts[0] ?? "", cwds).some((cwd) => literalProtected(word.parts[0] ?? "", cwd, world))
      );
    default:
      return exhausted(word);
  }
}

/** A folder, a slash, and then an item of a listing: `ls / | xargs -I{} rm -r /{}`. */
function isListed({ parts, why }: DynamicWord): boolean {
  return parts.length === 2 && parts[0]?.endsWith("/") === true && why === listedItem;
}

/** `/proc/self/root` is the root itself, as proc(5) has it. */
function throughProc(path: string): string {
  return path.replace(/^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/root(?=\/|$)/, "") || "/";
}

function starts(text: string, cwds: readonly (AbsolutePath | undefined)[]): readonly AbsolutePath[] {
  return text.startsWith("/") ? [rootPath] : cwds.filter((cwd) => cwd !== undefined);
}

function literalProtected(text: string, cwd: AbsolutePath, world: BlockWorld): boolean {
  const path = resolvePath(cwd, text);
  if (path === undefined) return false;
  if (isProtected(throughProc(path), world)) return true;
  const components = text.split("/");
  // The last component is removed itself, not what it leads to; a slash or dots behind it lead through it.
  const through = /(^|\/)\.{0,2}$/.test(text);
  const real = walkReal(cwd, through ? components : components.slice(0, -1), world);
  if (real === undefined) return false;
  return isProtected(through ? real : (resolvePath(real, components.at(-1) ?? "") ?? real), world);
}

/** Goes through the components as the kernel does: links first, `..` from where they lead. */
function walkReal(cwd: AbsolutePath, components: readonly string[], world: BlockWorld): AbsolutePath | undefined {
  let at: AbsolutePath | undefined = cwd;
  for (const component of components) {
    if (component === "" || component === ".") continue;
    const next: AbsolutePath | undefined = at === undefined ? undefined : resolvePath(at, component);
    at = next === undefined ? undefined : world.real(next);
  }
  return at;
}

function patternProtected(pattern: string, cwd: AbsolutePath, world: BlockWorld): boolean {
  const components = normalised(cwd, pattern);
  // Everything in a folder is as bad as the folder: `~/*`, `/*/*`.
  let end = components.length;
  while (end > 0 && matchesMost(components[end - 1] ?? "")) end -= 1;
  const base = components.slice(0, end);
  if (!base.some(isPattern)) {
    const path = `/${base.map(plainComponent).join("/")}`;
    const real = end === components.length ? undefined : walkReal(rootPath, base.map(plainComponent), world);
    return isProtected(throughProc(path), world) || (real !== undefined && isProtected(real, world));
  }
  const all = components.map(matcherOf);
  const folder = all.slice(0, end);
  return candidates(world).some((path) => matches(all, path) || (end > 0 && matches(folder, path)));
}

/** The components of a pattern, absolute, dots removed. Escaped characters stay escaped. */
function normalised(cwd: AbsolutePath, pattern: string): string[] {
  const kept: string[] = pattern.startsWith("/") ? [] : cwd.split("/").filter((part) => part !== "");
  for (const part of pattern.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") kept.pop();
    else kept.push(part);
  }
  return kept;
}

function candidates({ homes }: BlockWorld): string[] {
  const ancestors = homes.flatMap((home) =>
    home.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/")),
  );
  return [...new Set([...systemRoots, ...ancestors])].filter((path) => path !== "");
}

function matches(components: readonly ((name: string) => boolean)[], path: string): boolean {
  const parts = path.split("/").slice(1);
  return components.length === parts.length && components.every((test, index) => test(parts[index] ?? ""));
}

function matcherOf(component: string): (name: string) => boolean {
  if (isPattern(component)) return componentMatcher(component);
  const plain = plainComponent(component);
  return (name) => name === plain;
}
