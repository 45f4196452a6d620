import type { Action, ExecAction } from "../model/action.ts";
import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Capability, Effect, PathEffect } from "../model/effect.ts";
import { exhausted } from "../model/exhausted.ts";
import type { Facts } from "../model/facts.ts";
import type { Command, ExecIntent, Intent } from "../model/intent.ts";
import { invalid, Problem } from "../model/problem.ts";
import type { Scope } from "../model/scope.ts";
import type { Session } from "../model/session.ts";
import { analyseChange } from "./analyse-change.ts";
import { analyseCommand } from "./analyse-command.ts";
import { analyseConnect, analyseFetch } from "./analyse-reach.ts";
import type { Blocked } from "./decide.ts";
import { locateEffects, locateSupposed, placesOf } from "./locate-effects.ts";
import { nearestScope } from "./nearest-scope.ts";
import { mostEffects, tooMuch } from "./too-much.ts";

/** Capabilities that are asked for by doing the thing: a bare name would slip past the rules about paths, commands and hosts. */
const ownRequests: readonly Capability[] = ["fs_read", "fs_write", "shell", "web_fetch", "sandbox_network"];

/** What an intent would do, and the action it becomes where that is allowed. */
export interface Analysis {
  readonly effects: readonly Effect[];
  readonly blocked: readonly Blocked[];
  /** What a command may touch for all that its words say: only rules that deny or ask hear of it. */
  readonly supposed?: readonly PathEffect[];
  readonly action: Action;
}

/** What analysis needs beside the intent. */
export interface AnalyseWorld {
  readonly facts: Facts;
  readonly session: Session;
  /** Those that hold now. */
  readonly scopes: readonly Scope[];
}

/**
 * Turns words into effects.
 * @throws Problem `invalid_argument` or `not_found` naming the field.
 */
export function analyse(intent: Intent, world: AnalyseWorld): Analysis {
  const session = world.session.subject.session;
  switch (intent.kind) {
    case "exec":
      return analyseExec(intent, world);
    case "read":
    case "stat":
    case "list":
    case "search":
    case "watch":
    case "download": {
      const { effects, path } = touch("read", intent.path, world.facts);
      return { effects, blocked: [], action: { ...intent, path, session } };
    }
    case "write":
    case "upload": {
      const { effects, path } = touch("write", intent.path, world.facts);
      return { effects, blocked: [], action: { ...intent, path, session } };
    }
    case "edit":
    case "move":
    case "copy":
    case "remove":
    case "make-directory":
    case "restore":
    case "empty-trash": {
      const { effects, blocked, refused, action } = analyseChange(intent, world.facts, session);
      return { effects, blocked: [...blocked, ...refused], action };
    }
    case "fetch": {
      const { effects, url } = analyseFetch(intent, world.facts);
      const [{ host, port }] = effects;
      return { effects, blocked: [], action: { ...intent, url, session, host, port } };
    }
    case "connect": {
      const effects = analyseConnect(intent, world.facts);
      return { effects, blocked: [], action: { ...intent, session, host: effects[0].host } };
    }
    case "use": {
      if (ownRequests.includes(intent.capability))
        throw invalid("capability", `${intent.capability} has a request of its own`);
      const effect: Effect = { kind: "use", capability: intent.capability, name: intent.name };
      return { effects: [effect], blocked: [], action: { ...intent, session } };
    }
    default:
      return exhausted(intent);
  }
}

function touch(
  kind: "read" | "write",
  asked: AbsolutePath,
  facts: Facts,
): { effects: readonly PathEffect[]; path: AbsolutePath } {
  const path = facts.locate(asked).real;
  return { effects: placesOf({ kind, path: asked, exact: true }, path, facts), path };
}

function analyseExec(intent: ExecIntent, world: AnalyseWorld): Analysis {
  const cwd = workingFolder(intent.cwd, world.facts);
  const { effects, blocked, supposed, isSpent } = analyseCommand(intent, { cwd, facts: world.facts });
  const refused = tooMuch(textOf(intent.command), effects, isSpent);
  const located = locateEffects(effects.slice(0, mostEffects), {
    facts: world.facts,
    roots: world.scopes.map(({ root }) => root),
  });
  const outside: PathEffect[] =
    nearestScope(cwd, world.scopes) === undefined
      ? [{ kind: "read", path: cwd, exact: true, ...(cwd === intent.cwd ? {} : { spelled: intent.cwd }) }]
      : [];
  const action: ExecAction = {
    ...intent,
    cwd,
    session: world.session.subject.session,
    workspace: world.session.workspace,
    scopes: world.scopes,
    image: world.session.image,
  };
  return {
    effects: [...outside, ...located.effects],
    blocked: [...blocked, ...(refused === undefined ? [] : [refused]), ...located.refused],
    supposed: locateSupposed(supposed ?? [], world.facts),
    action,
  };
}

function textOf(command: Command): string {
  return command.kind === "shell" ? command.text : command.argv.join(" ");
}

function workingFolder(cwd: AbsolutePath, facts: Facts): AbsolutePath {
  const { real, kind } = facts.locate(cwd);
  if (kind === "missing") throw new Problem("not_found", `cwd: ${cwd} does not exist`, { field: "cwd" });
  if (kind !== "folder") throw invalid("cwd", `${cwd} is not a folder`);
  return real;
}
