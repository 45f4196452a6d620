import { resolvePath, rootPath } from "../../../model/absolute-path.ts";
import { textOf } from "../programs/words.ts";
import type { Invocation } from "../walk/invocation.ts";

/** More words than this are not looked at. */
const mostWords = 64;

/** What programs that print a path or a name likely print, one to a line: they may meet links, or a path that is not there. Undefined: nobody can say. */
export function printedPaths(name: string, call: Invocation): string | undefined {
  const lines = linesOf(name, call);
  return lines === undefined || lines.length === 0 ? undefined : lines.map((line) => `${line}\n`).join("");
}

function linesOf(name: string, { argv, state }: Invocation): readonly string[] | undefined {
  if (argv.length > mostWords) return undefined;
  const texts = argv.slice(1).map(textOf);
  const known = texts.filter((text) => text !== undefined);
  if (known.length < texts.length) return undefined;
  const operands = known.filter((text) => !/^-./.test(text));
  const [first = "", suffix = ""] = operands;
  switch (name) {
    case "pwd":
      return state.cwds.length === 1 && state.cwds[0] !== undefined ? [state.cwds[0]] : undefined;
    case "dirname":
      return operands.map(folderOf);
    case "basename":
      return known.length > operands.length || operands.length > 2 ? undefined : [baseOf(first, suffix)];
    case "realpath":
    case "readlink":
      return operands.flatMap((text) => state.cwds.flatMap((cwd) => resolvePath(cwd ?? rootPath, text) ?? []));
    case "which":
      return operands;
    // Without -v or -V it runs the command, and is no program of its own here.
    case "command":
      return known[0] === "-v" ? operands : undefined;
    default:
      return undefined;
  }
}

/** As dirname(1): `/usr/` is in `/`, `x` in `.`. */
function folderOf(path: string): string {
  const bare = withoutSlashes(path);
  const cut = bare.lastIndexOf("/");
  if (cut < 0) return ".";
  return cut === 0 ? "/" : withoutSlashes(bare.slice(0, cut));
}

/** As basename(1). */
function baseOf(path: string, suffix: string): string {
  const bare = withoutSlashes(path);
  const base = bare === "/" ? bare : bare.slice(bare.lastIndexOf("/") + 1);
  return suffix !== "" && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
}

/** A path without the slashes at its end; `/` stays. Goes backwards, as a pattern would try again at every slash. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}
