import { networkInterfaces } from "node:os";
import type { Logger } from "pino";
import { createApprovals } from "./approvals/broker.ts";
import { openAudit } from "./audit/open-audit.ts";
import { openDatabase } from "./audit/open-database.ts";
import { faultText } from "./config/config-fault.ts";
import { openPermissions } from "./config/permissions.ts";
import type { AddressRules } from "./egress/address-rules.ts";
import { followDots } from "./files/follow-dots.ts";
import { defaultPorts } from "./egress/address-rules.ts";
import { parseAllowRange } from "./egress/allow-range.ts";
import { readPage } from "./egress/reading/read-page.ts";
import { createGate } from "./gate/gate.ts";
import type { AbsolutePath } from "./model/absolute-path.ts";
import type { SessionId } from "./model/ids.ts";
import type { Rule } from "./model/rule.ts";
import type { Session } from "./model/session.ts";
import type { Features } from "./model/runtime.ts";
import { createJudge } from "./policy/judge.ts";
import type { IndexWorld } from "./policy/rules/rule-index.ts";
import { loadBlocklist } from "./policy/blocklist/blocklist.ts";
import { createNarrator } from "./policy/narrator.ts";
import { createBackgroundProcesses } from "./sandbox/background-processes.ts";
import type { Redactor } from "./secrets/redactor.ts";
import type { TcpListen } from "./server/listen/listen-on-tcp.ts";
import { apiRoutes, completeRoutes } from "./server/routes.ts";
import { type RunningServer, startServer } from "./server/start-server.ts";
import { createAgents } from "./sessions/agents.ts";
import { createSessions } from "./sessions/sessions.ts";
import { agentsDesk } from "./wiring/agents-desk.ts";
import { answerNotes, approvalsDesk } from "./wiring/approvals-desk.ts";
import { auditDesk } from "./wiring/audit-desk.ts";
import { beginMoment } from "./wiring/begin-moment.ts";
import { budgetsOf } from "./wiring/budgets-of.ts";
import { changeNotes } from "./wiring/change-notes.ts";
import { countingRecorder } from "./wiring/counting-recorder.ts";
import { createFacts } from "./wiring/create-facts.ts";
import { withEgressModes } from "./wiring/egress-modes.ts";
import { egressModeOf, egressRoom } from "./wiring/egress-room.ts";
import { filesRoom } from "./wiring/files-room.ts";
import { createGuardedPlaces } from "./wiring/guarded-places.ts";
import { createHiddenPlaces } from "./wiring/hidden-places.ts";
import { createLockedPlaces } from "./wiring/locked-places.ts";
import { innerCaller } from "./wiring/inner-caller.ts";
import { keepRules } from "./wiring/keep-rules.ts";
import { operandStates } from "./wiring/operand-states.ts";
import type { Places } from "./wiring/places.ts";
import { permissionsHealth } from "./wiring/permissions-health.ts";
import { policyDesk } from "./wiring/policy-desk.ts";
import { createRelayTable } from "./wiring/relay-table.ts";
import { ruleProposals } from "./wiring/rule-proposals.ts";
import { rulesPlaces } from "./wiring/rules-places.ts";
import { sandboxRoom } from "./wiring/sandbox-room.ts";
import { realFolder, sessionDesk } from "./wiring/session-desk.ts";
import { sessionRules } from "./wiring/session-rules.ts";
import { shareLooks } from "./wiring/share-looks.ts";
import { startSurfaces } from "./wiring/surfaces.ts";
import { trashFolders } from "./wiring/trash-folders.ts";
import { createStreamMeter } from "./wiring/stream-memory.ts";
import { withLiveSubjects } from "./wiring/live-subjects.ts";
import { openWebRoom, type WebRoom } from "./wiring/web-room.ts";
import { withFolders } from "./wiring/with-folders.ts";

/** What one Sallyport is built from. */
export interface BuildOptions {
  readonly places: Places;
  /** The folder that it serves; must exist. */
  readonly workspace: AbsolutePath;
  /** Undefined: no TCP. */
  readonly tcp: TcpListen | undefined;
  readonly redactor: Redactor;
  readonly log: Logger;
  readonly env: NodeJS.ProcessEnv;
  /** Told what the person who runs this Sallyport must know at once, one line each; the log has it too. */
  readonly notice?: (line: string) => void;
  /** True where a person reads what `web.firstPassword` says. */
  readonly maySayPassword?: boolean;
}

/** A Sallyport that listens. */
export interface Sallyport {
  readonly workspace: AbsolutePath;
  /** As clients write them, the unix socket first. */
  readonly addresses: RunningServer["addresses"];
  /** Undefined where no page is served. */
  readonly web: Pick<WebRoom, "url" | "firstPassword"> | undefined;
  /** What the sandbox runtime can enforce here, and whether there is one. Never rejects. */
  readonly sandbox: Promise<Features>;
  /** Reads all rule files again, as on SIGHUP. */
  reload(): void;
  /** Shuts down: lets calls finish for `graceMs` milliseconds, then cuts them; removes every container. */
  stop(graceMs: number): Promise<void>;
}

/** Puts the rooms together and opens the listeners. @throws Problem or ConfigProblem where something cannot be had; nothing stays behind then. */
export async function build(options: BuildOptions): Promise<Sallyport> {
  const { places, workspace, tcp, redactor, log, env, notice, maySayPassword = false } = options;
  const { settings, state } = places;
  const clock = (): Date => new Date();
  const onTrouble = (problem: Error): void => log.error({ err: problem }, "something could not be stored");
  const closers: (() => unknown)[] = [];
  try {
    // The audit locks the state folder: first, so that nothing else is touched where another Sallyport has it.
    const audit = openAudit({ folder: state, redactor, clock, onTrouble, synchronous: settings.auditSynchronous });
    closers.push(() => audit.stop());
    const database = openDatabase({ folder: state, file: "sallyport.db" });
    closers.push(() => database.close());

    const ownPorts: number[] = [];
    const rules: AddressRules = {
      allow: settings.egressAllow.map((range) => parseAllowRange(range, "egress.allow")),
      ports: defaultPorts,
      ownAddresses: () =>
        Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)),
      ownPorts: () => ownPorts,
    };
    const trash = trashFolders(state, workspace);
    const facts = createFacts(places, rules, trash.slice(1));
    const root = realFolder(facts, "workspace", workspace);
    const hardcoded: readonly Rule[] = loadBlocklist().rules;
    const note = changeNotes(audit);
    const relays = createRelayTable();
    const health = permissionsHealth(() => permissions);
    const permissions = openPermissions({
      paths: places.config,
      home: places.home,
      real: (path) => facts.locate(path).real,
      onReload({ file, faults, rules: count }) {
        health.changed();
        if (faults.length > 0) {
          log.error({ file, faults }, "permissions are broken: the rules from before are kept");
          notice?.("Permissions are broken, the rules from before are kept:");
          for (const fault of faults) notice?.(`  ${faultText(fault)}`);
          return;
        }
        log.info({ file, rules: count }, "permissions loaded");
        relays.recheck();
      },
    });
    closers.push(() => permissions.close());

    const agents = createAgents({ database, clock });
    closers.push(() => agents.flush());
    const sessions = createSessions({
      database,
      clock,
      defaults: { mode: "ask", limits: settings.limits, workspaces: [root], images: settings.images },
      onEvicted: ({ subject }) => void endSession(subject.session),
    });
    /** Nobody waits for it, nothing of it runs, nobody is asked for it any more. */
    const endSession = async (id: SessionId): Promise<void> => {
      approvals.withdraw(id);
      await pool.close(id);
      egress.forget(id);
      await background.forget(id);
    };
    const world = (session: Pick<Session, "workspace">): IndexWorld => ({
      home: facts.home,
      workspace: session.workspace,
      real: (path) => facts.locate(path).real,
    });
    const addToSession = sessionRules(sessions, world);
    const narrator = createNarrator();
    const judge = createJudge({
      facts: shareLooks(facts),
      session: (id) => sessions.get(innerCaller(), id),
      rules: (session) => permissions.rules(session.workspace, session.subject.agent),
      now: clock,
      mounts: true,
    });
    const approvals = createApprovals({
      database,
      redactor,
      clock,
      keep: keepRules({ permissions, sessions, addToSession, onChange: () => relays.recheck() }),
      record: answerNotes(audit),
      places: rulesPlaces(places.config, sessions),
      onTrouble,
      deadlineMs: settings.approvalDeadlineMs,
    });
    closers.push(() => approvals.stop());
    const gate = createGate({
      judge: withLiveSubjects(withEgressModes(judge, egressModeOf(places)), { sessions, agents }),
      asker: approvals,
      recorder: countingRecorder(withFolders(audit, sessions), agents),
      narrator,
      states: operandStates,
      moment: beginMoment,
      spend: (session, roots) => sessions.spend(session, roots),
    });

    const egress = egressRoom({ places, rules, judge, gate, sessions, agents, permissions, relays, database, log });
    closers.push(() => egress.flush());
    const hiddenPlaces = createHiddenPlaces(facts);
    const sandboxes = sandboxRoom({
      places,
      env,
      workspace: root,
      permissions,
      hiddenPlaces,
      guardedPlaces: createGuardedPlaces(facts.homes),
      lockedPlaces: createLockedPlaces(facts),
      log,
      onConnection: (connection) => egress.proxy.accept(connection),
      trustOf: (session) => egress.trustOf(session),
    });
    const { pool } = sandboxes;
    const background = createBackgroundProcesses({
      onTrouble: (error) => log.error({ err: error }, "the end of a background process could not be recorded"),
    });
    const work = await filesRoom({ places, database, clock, trash, sessions, permissions, hiddenPlaces, log });
    closers.push(() => work.close());
    const budgets = budgetsOf({ settings, files: work.budget, egress });

    const questions = approvalsDesk(approvals, ruleProposals({ permissions, sessions, audit, world, workspace: root }));
    const surfaces = await startSurfaces({ places, approvals: questions, rules, log });
    closers.push(() => void surfaces.stop());
    ownPorts.push(...surfaces.ports);
    const routes = completeRoutes(
      apiRoutes({
        tokens: agents,
        gate,
        sessions: sessionDesk({
          sessions,
          facts,
          workspace: root,
          end: endSession,
          renew: (id) => pool.renew(id),
          note,
          onChange: () => relays.recheck(),
        }),
        sandboxes: {
          acquire: (session, scopes, signal) => sandboxes.acquire(session, scopes, signal),
          superseded: (sandbox) => pool.isSuperseded(sandbox),
        },
        background,
        parsePath: followDots,
        files: work.files,
        changes: work.changes,
        budget: work.budget,
        trees: work.trees,
        entries: judge,
        fetcher: egress.fetcher,
        pages: { read: readPage },
        approvals: questions,
        audit: auditDesk(audit),
        policy: policyDesk({
          judge,
          narrator,
          permissions,
          sessions,
          hardcoded,
          note,
          onChange: () => relays.recheck(),
          addToSession,
        }),
        agents: agentsDesk({ agents, note, budgets, onChange: () => relays.recheck() }),
      }),
      [health, ...surfaces.health],
    );
    const server = await startServer({
      routes,
      tokens: agents,
      log,
      streamed: createStreamMeter(),
      socket: places.socket,
      tcp,
    });
    const web = await openWebRoom({ places, routes, audit, log, notice, maySayPassword });
    ownPorts.push(...(web === undefined ? [] : [web.port]));
    ownPorts.push(...server.addresses.flatMap((address) => /:(\d+)$/.exec(address)?.[1] ?? []).map(Number));
    const sandbox = sandboxes.look();
    return {
      workspace: root,
      addresses: server.addresses,
      web,
      sandbox,
      reload: () => permissions.reload(),
      async stop(graceMs) {
        // Questions stay open for the next start; who waits for one is let go, and holds nothing up.
        approvals.stop();
        const [cut] = await Promise.all([server.drain(graceMs), web?.drain(graceMs)]);
        if (cut > 0) log.warn({ cut }, "calls were cut");
        await surfaces.stop();
        await egress.proxy.close(0);
        await pool.closeAll();
        await background.settled();
        await sandbox;
        closeAll(closers);
      },
    };
  } catch (error) {
    closeAll(closers);
    throw error;
  }
}

function closeAll(closers: readonly (() => unknown)[]): void {
  for (const close of closers.toReversed()) close();
}
