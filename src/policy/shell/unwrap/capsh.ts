import { commandText } from "../compose/command-text.ts";
import { textOf } from "../programs/words.ts";
import type { Word } from "../simple-command.ts";
import { emitCommand } from "../walk/emit-command.ts";
import type { Invocation } from "../walk/invocation.ts";
import { unchanged, type Outcome } from "../walk/outcome.ts";
import { opaque, type Walk } from "../walk/walk.ts";

const bash: Word = { kind: "literal", value: "/bin/bash" };

/** `capsh … -- WORDS`: bash starts with these words; `-+` forks first, `==` starts capsh again (capsh(1)). */
export function runCapsh(call: Invocation, walk: Walk): Outcome {
  const { argv } = call;
  opaque(walk, commandText(argv), "it runs the command with other capabilities or as another account", "program");
  const at = argv.findIndex((word, index) => index > 0 && /^(--|-\+|==)$/.test(textOf(word) ?? ""));
  const [first] = argv;
  if (at < 0 || first === undefined) {
    emitCommand(call, walk);
    return unchanged(call.state);
  }
  const start = textOf(argv[at]) === "==" ? first : bash;
  const outcome = walk.steps.invoke(
    { ...call, argv: [start, ...argv.slice(at + 1)], wrappers: [...call.wrappers, argv], external: true },
    walk,
  );
  return unchanged(call.state, outcome.output);
}
