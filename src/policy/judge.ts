import type { AbsolutePath } from "../model/absolute-path.ts";
import type { ActionOf } from "../model/action.ts";
import type { Facts } from "../model/facts.ts";
import type { EntryJudge, Judge, Judgement } from "../model/gate-ports.ts";
import type { SessionId } from "../model/ids.ts";
import type { Intent } from "../model/intent.ts";
import { Problem } from "../model/problem.ts";
import type { Rule } from "../model/rule.ts";
import type { Session } from "../model/session.ts";
import type { Subject } from "../model/subject.ts";
import { analyse } from "./analyse.ts";
import { decide, type DecideWorld } from "./decide.ts";
import { judgeBelow } from "./judge-below.ts";
import { liveScopes } from "./nearest-scope.ts";
import { openFolders } from "./mounts/open-folders.ts";
import { commandScopes, usedOnce } from "./mounts/session-folders.ts";
import { RuleIndexCache } from "./rule-index-cache.ts";
import { settle } from "./settle.ts";

/** What the judge looks things up with. */
export interface JudgeSources {
  readonly facts: Facts;
  session(id: SessionId): Session | undefined;
  /** Managed, user, workspace and agent rules for this session. The same list object until one of them changes. */
  rules(session: Session): readonly Rule[];
  now(): Date;
  /**
   * True where commands run: what a rule or an answer opens beyond the session's folders is added to the action, and what no mount can serve is denied. False for
   * a described world, where there is nothing to mount.
   */
  readonly mounts: boolean;
}

/** Makes the judge: analyse, decide, settle. It reads the machine through Facts and changes nothing. */
export function createJudge(sources: JudgeSources): Judge & EntryJudge {
  const indexes = new RuleIndexCache(sources.facts);
  const own = withRealPlaces(sources.facts.own, sources.facts);
  const homes = withRealPlaces(sources.facts.homes, sources.facts);

  function sessionOf(id: SessionId): Session {
    const session = sources.session(id);
    if (session === undefined) throw new Problem("not_found", "session: not open", { field: "session" });
    return session;
  }

  function worldOf(session: Session, { tier }: Subject, byFileService: boolean): DecideWorld {
    return {
      rules: [indexes.get(sources.rules(session), session.workspace), indexes.get(session.rules, session.workspace)],
      scopes: liveScopes(session.scopes, sources.now()),
      tier,
      own,
      byFileService,
    };
  }

  function isThere(root: AbsolutePath): boolean {
    try {
      return !sources.mounts || sources.facts.locate(root).kind !== "missing";
    } catch {
      // Nobody can tell: whoever mounts it says what is wrong with it.
      return true;
    }
  }

  return {
    judge<I extends Intent>(subject: Subject, intent: I): Judgement<I> {
      const session = sessionOf(subject.session);
      const world = worldOf(session, subject, intent.kind !== "exec");
      const { effects, blocked, supposed, action } = analyse(intent, {
        facts: sources.facts,
        session,
        scopes: world.scopes,
      });
      const decided = decide(effects, blocked, { ...world, supposed });
      const place =
        intent.kind === "exec" && action.kind === "exec" ? { cwd: action.cwd, askedCwd: intent.cwd } : undefined;
      const used = usedOnce(effects, place?.cwd, world.scopes);
      const { decision, folders } =
        place !== undefined && sources.mounts
          ? openFolders(decided, effects, {
              ...place,
              facts: sources.facts,
              homes,
              scopes: world.scopes,
              workspace: session.workspace,
              mayShow: (path) => decide([{ kind: "read", path, exact: true }], [], world).verdict !== "deny",
            })
          : { decision: decided, folders: [] };
      const settlement = settle(decision, subject);
      const shown =
        action.kind === "exec"
          ? { ...action, scopes: commandScopes({ scopes: world.scopes, used, opened: folders, settlement, isThere }) }
          : action;
      // analyse keeps the kind of what it is given; the compiler cannot follow that through the union.
      return { decision, settlement, action: shown as ActionOf<I>, spends: used.map(({ root }) => root) };
    },
    of(subject, kind, path) {
      return decide([{ kind, path, exact: true }], [], worldOf(sessionOf(subject.session), subject, true)).verdict;
    },
    below(subject, kind, root) {
      return judgeBelow(kind, root, worldOf(sessionOf(subject.session), subject, true), subject.mode);
    },
  };
}

/** Folders as they are spelled and as they are: one that lies behind a link must not be reached from the other side. */
function withRealPlaces(folders: readonly AbsolutePath[], facts: Facts): readonly AbsolutePath[] {
  return [...new Set(folders.flatMap((folder) => [folder, facts.locate(folder).real]))];
}
