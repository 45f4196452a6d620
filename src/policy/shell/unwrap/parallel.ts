import { commandText } from "../compose/command-text.ts";
import { textOf } from "../programs/words.ts";
import { emitCommand } from "../walk/emit-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import { unchanged, type Outcome } from "../walk/outcome.ts";
import { fedTo } from "../builtins/texts.ts";
import { scriptText } from "../walk/script-text.ts";
import { onlyChecking, opaque, type Walk } from "../walk/walk.ts";
import { optionSpec, readOptions } from "./option-spec.ts";
import { runScriptText } from "./script-word.ts";

const options = optionSpec(
  "j: P: n: N: L: X m k u v t q 0 a: d: C: I: S: s: i? J: r x z bar dry-run eta keep-order group ungroup quote null no-run-if-empty halt? joblog? results? delay? retries? timeout? jobs: max-procs: max-args: max-replace-args: colsep: arg-file: delimiter: sshlogin: tag tagstring: shuf will-cite line-buffer pipe progress verbose load: nice: memfree: tmpdir: workdir: wd:",
);

/** Operands that are tried one by one before the blocklist. */
const maxItems = 16;

/** `parallel`: its words, joined, are a script for every operand. */
export function runParallel(call: Invocation, walk: Walk): Outcome {
  emitCommand(call, walk);
  const given = readOptions(call.argv, 1, options);
  const words = call.argv.slice(given.end);
  const cut = words.findIndex((word) => /^:{3,4}\+?$/.test(textOf(word) ?? ""));
  const template = (cut < 0 ? words : words.slice(0, cut)).map(scriptText).join(" ");
  opaque(walk, commandText(call.argv), "it runs a script for operands of its own", "program");
  const fed = cut < 0 ? (fedTo(call.state)?.split("\n") ?? []) : words.slice(cut + 1).map(scriptText);
  const items = fed.filter((item) => item !== "" && !/^:{3,4}\+?$/.test(item));
  const inner: Invocation = { ...call, wrappers: [...call.wrappers, call.argv], external: true };
  const checking = onlyChecking(walk);
  const scripts = items.length === 0 ? [template] : items.slice(0, maxItems).map((item) => scriptFor(template, item));
  for (const script of scripts) runScriptText(script, true, inner, checking);
  return unchanged(call.state);
}

function scriptFor(template: string, item: string): string {
  const places = /\{[./]{0,2}\}|\{\d+[./]{0,2}\}/g;
  if (template === "") return item;
  return template.search(places) >= 0 ? template.replace(places, () => item) : `${template} ${item}`;
}
