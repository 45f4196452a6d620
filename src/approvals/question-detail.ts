import { exhausted } from "../model/exhausted.ts";
import type { DetailPart } from "../model/gate-ports.ts";
import type { ExecIntent, FetchIntent, Intent } from "../model/intent.ts";

/** Everything that an answer allows, whole: nothing in it is cut. */
export function detailParts(intent: Intent): readonly DetailPart[] {
  switch (intent.kind) {
    case "exec":
      return execParts(intent);
    case "fetch":
      return fetchParts(intent);
    case "read":
      return [
        part("file", intent.path),
        part("bytes", intent.length === 0 ? `from ${intent.offset}` : `${intent.length} from ${intent.offset}`),
      ];
    case "write":
      return [
        part("file", intent.path),
        part("how", intent.disposition),
        part("mode", intent.mode.toString(8)),
        part("make folders", yesNo(intent.makeParents)),
      ];
    case "edit":
      return [part("file", intent.path)];
    case "move":
      return [part("from", intent.from), part("to", intent.to), part("replace", yesNo(intent.overwrite))];
    case "copy":
      return [
        part("from", intent.from),
        part("to", intent.to),
        part("replace", yesNo(intent.overwrite)),
        part("folders with all they hold", yesNo(intent.recursive)),
      ];
    case "remove":
      return [part("path", intent.path), part("folders with all they hold", yesNo(intent.recursive))];
    case "make-directory":
      return [
        part("folder", intent.path),
        part("mode", intent.mode.toString(8)),
        part("make folders", yesNo(intent.parents)),
      ];
    case "restore":
      return [part("path", intent.path), part("removed from", intent.original), part("trash", intent.id)];
    case "empty-trash":
      return intent.entries.map(({ path }) => part("was", path));
    case "search":
      return [part("folder", intent.path), part("pattern", intent.pattern), part("names", intent.glob)];
    case "upload":
      return [
        part("folder", intent.path),
        part("replace files", yesNo(intent.overwrite)),
        part("make folders", yesNo(intent.makeParents)),
      ];
    case "stat":
    case "list":
    case "watch":
    case "download":
      return [part("path", intent.path)];
    case "connect":
      return [
        part("host", `${intent.host}:${intent.port}`),
        ...given("method", intent.method),
        ...given("url", intent.url),
      ];
    case "use":
      return [part("capability", intent.capability), part("name", intent.name)];
    default:
      return exhausted(intent);
  }
}

function execParts(intent: ExecIntent): readonly DetailPart[] {
  const { command } = intent;
  const what =
    command.kind === "shell"
      ? [part(command.shell, command.text)]
      : command.argv.map((text, index) => part(index === 0 ? "program" : "argument", text));
  return [
    ...what,
    part("folder", intent.cwd),
    ...Object.entries(intent.env).map(([name, value]) => part("variable", `${name}=${value}`)),
    ...(intent.background ? [part("in the background", "yes")] : []),
    ...(intent.keep === true ? [part("goes on without its caller", "yes")] : []),
    ...(intent.stdin ? [part("reads input", "yes")] : []),
  ];
}

function fetchParts(intent: FetchIntent): readonly DetailPart[] {
  return [
    part("url", intent.url),
    part("method", intent.method),
    ...intent.headers.map(([name, value]) => part("header", `${name}: ${value}`)),
    ...(intent.body === undefined ? [] : [part("body", bodyText(intent.body))]),
  ];
}

/** The body as text where it is UTF-8, otherwise in hexadecimal. */
function bodyText(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return `hexadecimal ${Buffer.from(body).toString("hex")}`;
  }
}

function given(label: string, text: string | undefined): readonly DetailPart[] {
  return text === undefined ? [] : [part(label, text)];
}

function part(label: string, text: string): DetailPart {
  return { label, text };
}

function yesNo(value: boolean): string {
  return value ? "yes" : "no";
}
