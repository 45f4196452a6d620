import { exhausted } from "../model/exhausted.ts";
import type { Intent } from "../model/intent.ts";

/** One line that says exactly what will happen if the answer is yes. Plain text from hostile hands: surfaces escape it. */
export function questionTitle(intent: Intent): string {
  switch (intent.kind) {
    case "exec": {
      const { command } = intent;
      const what = command.kind === "argv" ? JSON.stringify(command.argv) : command.text;
      const where = intent.background ? `in the background in ${intent.cwd}` : `in ${intent.cwd}`;
      const names = Object.keys(intent.env);
      return `Run ${what} ${where}${names.length === 0 ? "" : `, with ${names.join(", ")} set`}`;
    }
    case "read":
      return `Read the file ${intent.path}`;
    case "write":
      return `${writeVerb(intent.disposition)} the file ${intent.path}`;
    case "stat":
      return `Look at ${intent.path}`;
    case "list":
      return `List the folder ${intent.path}`;
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
