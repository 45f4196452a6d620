import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Action } from "../model/action.ts";
import { exhausted } from "../model/exhausted.ts";
import type { Intent } from "../model/intent.ts";
import type { Scope } from "../model/scope.ts";

/**
 * One line that says exactly what will happen if the answer is yes; `action` is the intent with its links followed, where it could be judged.
 * Plain text from hostile hands: surfaces escape it.
 */
export function questionTitle(intent: Intent, action?: Action): string {
  const real = action !== undefined && "path" in action ? action.path : undefined;
  const ends = action !== undefined && "from" in action ? action : undefined;
  switch (intent.kind) {
    case "exec": {
      const { command } = intent;
      const what = command.kind === "argv" ? JSON.stringify(command.argv) : command.text;
      const where = intent.background ? `in the background in ${intent.cwd}` : `in ${intent.cwd}`;
      const names = Object.keys(intent.env);
      const opened =
        action?.kind === "exec" ? action.scopes.filter(({ lasts }) => lasts === "once").map(mountText) : [];
      return [`Run ${what} ${where}`, ...(names.length === 0 ? [] : [`with ${names.join(", ")} set`]), ...opened].join(
        ", ",
      );
    }
    case "read":
      return `Read the file ${place(intent.path, real)}`;
    case "write":
      return `${writeVerb(intent.disposition)} the file ${place(intent.path, real)}`;
    case "edit":
      return `Change the file ${place(intent.path, real)}`;
    case "move":
      return `Move ${place(intent.from, ends?.from)} to ${place(intent.to, ends?.to)}${replacing(intent.overwrite)}`;
    case "copy": {
      const what = intent.recursive ? " with all it holds" : "";
      return `Copy ${place(intent.from, ends?.from)}${what} to ${place(intent.to, ends?.to)}${replacing(intent.overwrite)}`;
    }
    case "remove":
      return `Remove ${place(intent.path, real)}${intent.recursive ? " with all it holds" : ""}`;
    case "make-directory":
      return `Make the folder ${place(intent.path, real)}`;
    case "restore":
      return `Restore ${intent.original} from the trash${intent.path === intent.original ? "" : ` to ${intent.path}`}`;
    case "empty-trash":
      return `Delete for good what lies in the trash: ${intent.entries.length} ${intent.entries.length === 1 ? "entry" : "entries"}`;
    case "stat":
      return `Look at ${place(intent.path, real)}`;
    case "list":
      return intent.depth === undefined || intent.depth === 1
        ? `List the folder ${place(intent.path, real)}`
        : `List the folder ${place(intent.path, real)} with all below it`;
    case "search":
      return intent.pattern === ""
        ? `Search the names of all files below ${place(intent.path, real)}`
        : `Search all files below ${place(intent.path, real)} for ${intent.pattern}`;
    case "watch":
      return `Watch everything below ${place(intent.path, real)}`;
    case "upload":
      return `Unpack an archive into ${place(intent.path, real)}${intent.overwrite ? ", replacing files that are there" : ""}`;
    case "download":
      return `Read everything below ${place(intent.path, real)} as an archive`;
    case "fetch":
      return `Fetch ${intent.method} ${intent.url}${intent.hop === 0 ? "" : `, redirect ${intent.hop}`}`;
    case "connect":
      return `Connect the sandbox to ${intent.host}:${intent.port}`;
    case "use":
      return `Use ${intent.capability} ${intent.name}`;
    default:
      return exhausted(intent);
  }
}

function mountText({ root, access }: Scope): string {
  return `with ${root} mounted ${access === "ro" ? "read-only" : "writable"} for this command`;
}

/** The path that will be touched; where a link leads elsewhere than the words say, both. */
function place(asked: AbsolutePath, real: AbsolutePath | undefined): string {
  return real === undefined || real === asked ? asked : `${real} (asked for as ${asked})`;
}

function replacing(overwrite: boolean): string {
  return overwrite ? ", replacing what is there" : "";
}

function writeVerb(disposition: "create" | "overwrite" | "append"): string {
  switch (disposition) {
    case "create":
      return "Create";
    case "overwrite":
      return "Write";
    case "append":
      return "Append to";
    default:
      return exhausted(disposition);
  }
}
