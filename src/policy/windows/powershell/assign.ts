import type { Assignment, PowerShellCommand } from "./powershell-script.ts";
import { defineItem } from "./define-item.ts";
import type { Walk } from "./session.ts";
import { appended, isFalse, itemsOf, maxText, text, textOf, type Value } from "./value.ts";

/** Notes what a variable holds from now on. */
export function assign(target: Assignment, values: Value, command: PowerShellCommand, walk: Walk): void {
  const { session, state } = walk;
  const value = target.item === undefined ? values : itemsOf(values)[target.item];
  const shown = walk.page.text.slice(command.from, command.to);
  state.found.opaque(`$${target.name} = ${shown}`, "a variable is set", "environment");
  if (target.name === "psdefaultparametervalues") session.recursive ||= setsRecursion(target.key, value, shown);
  if (target.key === "verb" && /^runas/i.test(textOf(value) ?? ""))
    state.found.block(
      "windows-elevation",
      state.found.run("start-process", ["Start-Process", "-Verb", "RunAs"], [], false),
    );
  const scoped = /^(env|alias|function):(.*)$/s.exec(target.name);
  if (scoped?.[1] !== undefined) return defineItem(`${scoped[1]}:${scoped[2] ?? ""}`, value, walk);
  const before = session.variables.get(target.name);
  if (target.key !== undefined) {
    const entries = before?.kind === "table" ? before.entries : undefined;
    session.variables.set(
      target.name,
      entries === undefined ? undefined : { kind: "table", entries: new Map([...entries, [target.key, value]]) },
    );
  } else session.variables.set(target.name, target.adds ? added(before, value) : value);
}

function added(before: Value, value: Value): Value {
  if (before?.kind === "list") return appended(before.items, itemsOf(value));
  const [a, b] = [textOf(before), textOf(value)];
  return a === undefined || b === undefined || a.length + b.length > maxText ? undefined : text(a + b);
}

/** `$PSDefaultParameterValues['Remove-Item:Recurse'] = $true`. */
function setsRecursion(key: string | undefined, value: Value, shown: string): boolean {
  return !isFalse(value) && /:\s*rec/i.test(`${key ?? ""}${shown}`);
}
