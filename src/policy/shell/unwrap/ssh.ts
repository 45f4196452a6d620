import { commandText } from "../compose/command-text.ts";
import { shown, textOf } from "../programs/words.ts";
import { emitCommand } from "../walk/emit-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import { unchanged, type Outcome } from "../walk/outcome.ts";
import { onlyChecking, opaque, type Walk } from "../walk/walk.ts";
import { optionSpec, readOptions } from "./option-spec.ts";
import { runScriptWord } from "./script-word.ts";

const options = optionSpec(
  "4 6 A a C f G g K k M N n q s T t V v X x Y y B: b: c: D: E: e: F: I: i: J: L: l: m: O: o: P: p: Q: R: S: W: w:",
);

const here = /(^|@)(localhost|127(\.\d{1,3}){1,3}|\[?::1\]?|0\.0\.0\.0|0)$/i;

/** `ssh`: another machine's business, unless the host is this one. */
export function runSsh(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  const given = readOptions(call.argv, 1, options);
  const host = textOf(call.argv[given.end]);
  const after = readOptions(call.argv, given.end + 1, options);
  const command = call.argv.slice(after.end);
  opaque(walk, commandText(call.argv), "what runs on another machine is not seen here", "program");
  for (const { name, value } of [...given.options, ...after.options]) {
    const local =
      name === "o" && value !== undefined
        ? /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[=\s]\s*([\s\S]*)$/i.exec(shown(value))
        : null;
    if (local?.[1] !== undefined)
      runScriptWord([{ kind: "literal", value: local[1] }], inside(call), onlyChecking(walk));
  }
  if (host !== undefined && here.test(host.replace(/^ssh:\/\//, "")) && command.length > 0)
    runScriptWord(command, inside(call), onlyChecking(walk));
  return unchanged(call.state);
}

function inside(call: Invocation): Invocation {
  return { ...call, wrappers: [...call.wrappers, call.argv], external: true };
}
