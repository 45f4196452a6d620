import type { Logger } from "pino";
import type { Permissions } from "../config/permissions.ts";
import type { AbsolutePath } from "../model/absolute-path.ts";
import type { SessionId } from "../model/ids.ts";
import type { Features, InsideConnection, Sandbox, SandboxSpec } from "../model/runtime.ts";
import type { Scope } from "../model/scope.ts";
import type { Session } from "../model/session.ts";
import { createRuntime } from "../sandbox/create-runtime.ts";
import { createPool, type Pool } from "../sandbox/pool.ts";
import { spareSession } from "../sandbox/spare-session.ts";
import type { GuardedPlaces } from "./guarded-places.ts";
import type { HiddenPlaces } from "./hidden-places.ts";
import { innerCaller } from "./inner-caller.ts";
import type { LockedPlaces } from "./locked-places.ts";
import type { Places } from "./places.ts";
import { runtimeOptions } from "./runtime-options.ts";

/** What the sandboxes are put together from. */
export interface SandboxRoomParts {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  /** The folder that is served. */
  readonly workspace: AbsolutePath;
  readonly permissions: Permissions;
  readonly hiddenPlaces: HiddenPlaces;
  readonly guardedPlaces: GuardedPlaces;
  readonly lockedPlaces: LockedPlaces;
  /** What the programs of a session trust and see beside the usual; undefined: nothing. */
  readonly trustOf: (session: SessionId) => Promise<Pick<SandboxSpec, "authority" | "variables"> | undefined>;
  readonly onConnection: (connection: InsideConnection) => void;
  readonly log: Logger;
}

/** The sandboxes of all sessions. */
export interface SandboxRoom {
  readonly pool: Pool;
  /** The sandbox of a session with these scopes. @throws Problem as of `Pool.acquire` */
  acquire(session: Session, scopes: readonly Scope[], signal: AbortSignal): Promise<Sandbox>;
  /** Says what there is, removes what a crash left, and makes a sandbox ahead for the first session. Never rejects. */
  look(): Promise<Features>;
}

/** So long after a session's first sandbox one is made for the next session: the session's own first command comes first. Milliseconds. */
const spareAfterMs = 500;

/** Puts runtime and pool together by the settings. */
export function sandboxRoom(parts: SandboxRoomParts): SandboxRoom {
  const { places, env, workspace, permissions, trustOf, onConnection, log } = parts;
  const { hiddenPlaces, guardedPlaces, lockedPlaces } = parts;
  const { settings, home } = places;
  const { most, idleMs, spare } = settings.sandboxes;
  const runtime = createRuntime(settings.runtime, runtimeOptions(places, env));
  const pool = createPool({ runtime, onConnection, idleMs, maxSandboxes: most, ...(spare ? { spareAfterMs } : {}) });

  async function probe(): Promise<Features> {
    try {
      return await runtime.probe();
    } catch (error) {
      log.error({ err: error }, "the sandbox runtime could not be looked at");
      const reason = "it could not be looked at; the log says why";
      return { name: runtime.name, available: false, reason, version: "", enforces: [], carrier: "attach" };
    }
  }

  /** Whether the orphans of an earlier run are removed, or are being removed. */
  let swept = false;

  async function removeOrphans(): Promise<void> {
    if (swept) return;
    swept = true;
    try {
      const removed = await runtime.removeOrphans();
      if (removed > 0) log.warn({ removed }, "sandboxes of an earlier run were removed");
    } catch (error) {
      swept = false;
      log.error({ err: error }, "orphans of an earlier run could not be removed; they will be with the next sandbox");
    }
  }

  async function prepareSpare(): Promise<void> {
    const session = spareSession();
    // What a session trusts is its own, so that nothing can be made ahead.
    if ((await trustOf(session)) !== undefined) return;
    const scopes = [{ root: workspace, access: "rw", lasts: "session" }] as const;
    const rules = permissions.rules(workspace, innerCaller().agent);
    const shown = { workspace, scopes, rules: [] };
    const hidden = hiddenPlaces(shown, rules);
    const locked = lockedPlaces(shown, rules);
    const guarded = await guardedPlaces(scopes);
    const { image, limits } = settings;
    await pool.prepare({ session, workspace, scopes, hidden, guarded, locked, home, limits, image });
  }

  return {
    pool,
    async acquire({ subject, image, workspace: folder, limits, rules }, scopes, signal) {
      const { session, agent } = subject;
      const shown = { workspace: folder, scopes, rules };
      const fileRules = permissions.rules(folder, agent);
      const hidden = hiddenPlaces(shown, fileRules);
      const locked = lockedPlaces(shown, fileRules);
      const wished = image ?? settings.agentImages.get(agent) ?? settings.image;
      const [guarded, trust] = await Promise.all([guardedPlaces(scopes), trustOf(session)]);
      const places = { workspace: folder, scopes, hidden, guarded, locked, home };
      const spec = { session, ...places, limits, image: wished, ...trust };
      const sandbox = await pool.acquire(spec, signal);
      // An engine that was away at the start is there now.
      void removeOrphans();
      return sandbox;
    },
    async look() {
      const features = await probe();
      if (!features.available) {
        log.warn({ reason: features.reason }, "no sandbox: commands will be refused");
        return features;
      }
      await removeOrphans();
      if (spare) void prepareSpare().catch((error: unknown) => log.warn({ err: error }, "no sandbox was made ahead"));
      return features;
    },
  };
}
