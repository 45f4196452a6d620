import { programName, splitLine } from "../programs/program-call.ts";
import { runLine } from "../programs/run-program.ts";
import { type CmdletCall, textFor, valuesOf } from "./cmdlet-call.ts";
import type { Walk } from "./session.ts";
import { textsOf, type Value } from "./value.ts";

/** Start-Process: the rights that it asks for, and the program that it starts. */
export function startProcess(call: CmdletCall, walk: Walk): Value {
  const { state } = walk;
  const { bound, effect } = call;
  if (/^runas(user)?$/i.test(textFor(call, "verb") ?? "") || bound.values.has("credential"))
    state.found.block("windows-elevation", effect);
  const file = textFor(call, "filepath");
  const words = [...valuesOf(call, "argumentlist"), ...bound.rest].flatMap(textsOf);
  const known = words.filter((word) => word !== undefined);
  if (file === undefined || known.length < words.length)
    state.found.opaque(effect.text, "the program is not known before it runs", "dynamic");
  if (file === undefined) return undefined;
  const quoted = /\s/.test(file) && !file.startsWith('"') ? `"${file}"` : file;
  // A single word may be a whole line, or a program with blanks in its name.
  runLine(`${programName(splitLine(file)[0] ?? "") === programName(file) ? file : quoted} ${known.join(" ")}`, state);
  return undefined;
}
