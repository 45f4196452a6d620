import type { Walk } from "./session.ts";
import { textOf, type Value } from "./value.ts";
import { parameterNames } from "./statements.ts";

/** An item of one of the drives that hold names: `alias:x`, `function:x`, `env:x`, `variable:x` (about_Providers). */
export function defineItem(path: string, value: Value, walk: Walk): void {
  const { session, state } = walk;
  const [, drive, rawName = ""] =
    /^(?:microsoft\.powershell\.core\\)?(alias|function|env|variable|environment):{1,2}[\\/]?(.*)$/is.exec(path) ?? [];
  const name = rawName.toLowerCase();
  switch (drive?.toLowerCase()) {
    case "alias": {
      const target = textOf(value);
      if (target !== undefined) session.aliases.set(name, target.toLowerCase());
      return;
    }
    case "function":
      if (value?.kind === "block")
        session.functions.set(name, {
          ...value,
          parameters: parameterNames(value.page.text.slice(value.from, value.to)),
        });
      return;
    case "env":
    case "environment":
      state.environment.set(name, textOf(value));
      return;
    case "variable":
      session.variables.set(name, value);
      return;
    default:
  }
}
