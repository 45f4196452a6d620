import type { Effect } from "../../../model/effect.ts";
import type { ProgramWorld } from "../programs/program-effects.ts";
import { shown } from "../programs/words.ts";
import type { Redirect, SimpleCommand } from "../simple-command.ts";
import { resolveWord } from "./resolve-word.ts";

/** Files that stand for an open descriptor or swallow everything. */
const leftOut = /^\/dev\/(null|stdin|stdout|stderr|tty|fd\/\d+)$/;
/** Names by which bash itself opens network connections. */
const network = /^\/dev\/(?:tcp|udp)\/([^/]+)\/(\d+)$/;

/** What the shell opens for a command. */
export function redirectEffects({ redirects, cwds }: SimpleCommand, world: ProgramWorld): Effect[] {
  return redirects.flatMap((redirect) => oneRedirect(redirect, cwds, world));
}

function oneRedirect({ operator, target }: Redirect, cwds: SimpleCommand["cwds"], world: ProgramWorld): Effect[] {
  const text = shown(target);
  if (operator === "close" || (operator === "duplicate" && target.kind === "literal")) return [];
  if (target.kind === "dynamic") {
    // A pipe to another command of the text is no file.
    return /^[<>]\(/.test(text)
      ? []
      : [{ kind: "opaque", text, why: "the file of a redirection is not known before it runs", cause: "dynamic" }];
  }
  const effects: Effect[] = [];
  // What is read is one of the files that match, and judged as all of them.
  if (target.kind === "glob" && operator !== "read")
    effects.push({
      kind: "opaque",
      text,
      why: "the file of a redirection depends on which files exist",
      cause: "dynamic",
    });
  const [, host, port] = network.exec(text) ?? [];
  if (host !== undefined)
    return [{ kind: "reach", host: host.toLowerCase(), port: Number(port), capability: "sandbox_network" }];
  if (!text.startsWith("/") && cwds.includes(undefined))
    effects.push({ kind: "opaque", text, why: "the folder of a redirection is not known", cause: "dynamic" });
  for (const { path, exact } of resolveWord(target, cwds, world)) {
    if (!leftOut.test(path)) effects.push({ kind: operator === "read" ? "read" : "write", path, exact });
  }
  return effects;
}
