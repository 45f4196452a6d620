import { type AbsolutePath, parseAbsolutePath, resolvePath } from "../../src/model/absolute-path.ts";
import type { Facts, FolderEntry } from "../../src/model/facts.ts";
import type { AgentId, SessionId } from "../../src/model/ids.ts";
import { parseAgentId, parseSessionId } from "../../src/model/ids.ts";
import type { ExecIntent, Intent } from "../../src/model/intent.ts";
import type { Rule } from "../../src/model/rule.ts";
import type { Scope } from "../../src/model/scope.ts";
import type { Session } from "../../src/model/session.ts";
import { parseChannel, type Subject } from "../../src/model/subject.ts";
import type { Verdict } from "../../src/model/verdict.ts";
import { createJudge } from "../../src/policy/judge.ts";

/** A path that a test writes down. */
export function path(text: string): AbsolutePath {
  const parsed = parseAbsolutePath(text);
  if (parsed === undefined) throw new Error(`not a path: ${text}`);
  return parsed;
}

/** A file system made of names: links, and what is no folder. */
export interface FakeDisk {
  readonly links?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly missing?: readonly string[];
  readonly broken?: readonly string[];
}

export function fakeFacts(disk: FakeDisk = {}, own: readonly string[] = []): Facts {
  function locate(asked: AbsolutePath): AbsolutePath {
    let at = path("/");
    let hops = 0;
    const parts = asked.split("/").filter((part) => part !== "");
    while (parts.length > 0) {
      const next = path(`${at}/${parts.shift() ?? ""}`);
      if (disk.broken?.includes(next) === true) throw new Error("permission denied");
      const target = disk.links?.[next];
      if (target === undefined) {
        at = next;
        continue;
      }
      if ((hops += 1) > 40) throw new Error("too many links");
      const landed = resolvePath(at, target);
      if (landed === undefined) throw new Error("unusable link");
      at = path("/");
      parts.unshift(...landed.split("/").filter((part) => part !== ""));
    }
    return at;
  }
  return {
    locate(asked) {
      const real = locate(asked);
      const kind =
        disk.files?.includes(real) === true ? "file" : disk.missing?.includes(real) === true ? "missing" : "folder";
      return { real, kind };
    },
    entries(folder, most) {
      const below = (name: string): string | undefined =>
        name.startsWith(folder === "/" ? "/" : `${folder}/`)
          ? name.slice(folder === "/" ? 1 : folder.length + 1)
          : undefined;
      const found = new Map<string, FolderEntry["kind"]>();
      for (const name of [...Object.keys(disk.links ?? {}), ...(disk.files ?? [])]) {
        const [first = "", ...rest] = below(name)?.split("/") ?? [];
        if (first === "") continue;
        found.set(first, rest.length > 0 ? "folder" : disk.links?.[name] === undefined ? "other" : "link");
      }
      return found.size > most ? undefined : Array.from(found, ([name, kind]) => ({ name, kind }));
    },
    homes: [path("/home/u")],
    home: path("/home/u"),
    user: "u",
    homeOf: (user) => (user === "root" ? path("/root") : user === "u" ? path("/home/u") : undefined),
    internalHost: (host) => (host === "localhost" || host.startsWith("127.") ? "loopback" : undefined),
    own: own.map(path),
  };
}

export const workspaceScope: Scope = { root: path("/work"), access: "rw", lasts: "always" };

const agent: AgentId | undefined = parseAgentId("local");
const sessionId: SessionId | undefined = parseSessionId("s1");
const channel = parseChannel("socket");

export function subject(change: Partial<Subject> = {}): Subject {
  if (agent === undefined || sessionId === undefined || channel === undefined) throw new Error("bad names");
  return {
    agent,
    session: sessionId,
    channel,
    role: "admin",
    tier: "full",
    mode: "autopilot",
    attended: true,
    ...change,
  };
}

let nextRule = 0;

/** A user rule. */
export function rule(change: Partial<Rule> & Pick<Rule, "capability" | "effect" | "match">): Rule {
  nextRule += 1;
  return { id: `user.${nextRule}`, source: "user", exclude: [], ...change };
}

export interface JudgeSetup {
  readonly rules?: readonly Rule[];
  readonly sessionRules?: readonly Rule[];
  readonly scopes?: readonly Scope[];
  readonly facts?: Facts;
  readonly subject?: Partial<Subject>;
  readonly now?: Date;
  readonly mounts?: boolean;
}

/** Judges one intent in a fresh world: /work is granted, home is /home/u. */
export function judge<I extends Intent>(intent: I, setup: JudgeSetup = {}) {
  return judgeIn(setup, subject(setup.subject)).judge(subject(setup.subject), intent);
}

/** What may be done with an entry below a folder in such a world. */
export function verdictBelow(kind: "read" | "write", root: string, setup: JudgeSetup = {}): (entry: string) => Verdict {
  const verdict = judgeIn(setup, subject(setup.subject)).below(subject(setup.subject), kind, path(root));
  return (entry) => verdict(path(entry));
}

/** What rules say of one path in such a world. */
export function verdictOf(kind: "read" | "write", place: string, setup: JudgeSetup = {}): Verdict {
  return judgeIn(setup, subject(setup.subject)).of(subject(setup.subject), kind, path(place));
}

function judgeIn(setup: JudgeSetup, who: Subject) {
  const rules = setup.rules ?? [];
  const session: Session = {
    subject: who,
    workspace: path("/work"),
    scopes: setup.scopes ?? [workspaceScope],
    rules: setup.sessionRules ?? [],
    image: undefined,
    limits: { memoryBytes: 0, cpus: 0, pids: 0, tmpBytes: 0 },
    openedAt: new Date(0),
    lastUsedAt: new Date(0),
    key: "k",
  };
  return createJudge({
    facts: setup.facts ?? fakeFacts(),
    session: (id) => (id === who.session ? session : undefined),
    rules: () => rules,
    now: () => setup.now ?? new Date(1000),
    mounts: setup.mounts ?? false,
  });
}

export function shell(text: string, change: Partial<ExecIntent> = {}): ExecIntent {
  return {
    kind: "exec",
    command: { kind: "shell", shell: "bash", text },
    cwd: path("/work"),
    env: {},
    stdin: false,
    background: false,
    limits: { timeoutMs: 0, outputBytes: 0 },
    ...change,
  };
}

export const intents = {
  read: (text: string) => ({ kind: "read", path: path(text), offset: 0, length: 0 }) as const,
  write: (text: string) =>
    ({ kind: "write", path: path(text), disposition: "overwrite", makeParents: false, mode: 0o644 }) as const,
  stat: (text: string) => ({ kind: "stat", path: path(text) }) as const,
  list: (text: string) => ({ kind: "list", path: path(text), limit: 100 }) as const,
  fetch: (url: string, method = "GET") =>
    ({ kind: "fetch", url, method, headers: [], body: undefined, maxBytes: 1, timeoutMs: 1, hop: 0 }) as const,
  connect: (host: string, port = 443) => ({ kind: "connect", host, port, via: "tunnel" }) as const,
  use: (capability: "mcp" | "web_search" | "subagent", name: string) => ({ kind: "use", capability, name }) as const,
};
