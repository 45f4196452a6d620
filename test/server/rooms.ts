import type { Action } from "../../src/model/action.ts";
import { type AbsolutePath, parseAbsolutePath, resolvePath } from "../../src/model/absolute-path.ts";
import type { Decision, Denial, Finding } from "../../src/model/decision.ts";
import { createFileChanges } from "../../src/files/file-changes.ts";
import { createGate } from "../../src/gate/gate.ts";
import type { Entry, Judgement, Question } from "../../src/model/gate-ports.ts";
import { type EntryId, parseSessionId, type SessionId } from "../../src/model/ids.ts";
import type { Intent } from "../../src/model/intent.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import { Permit } from "../../src/model/permit.ts";
import { Problem } from "../../src/model/problem.ts";
import type { Rule } from "../../src/model/rule.ts";
import type { Session } from "../../src/model/session.ts";
import { parseChannel } from "../../src/model/subject.ts";
import type { Caller } from "../../src/model/subject.ts";
import type { Verdict } from "../../src/model/verdict.ts";
import type { FetchResult, FileInfo } from "../../src/server/ports/acting.ts";
import type { AuditRecord, RuleFault } from "../../src/server/ports/judging.ts";
import type { SearchHit } from "../../src/server/ports/trees.ts";
import type { OpenQuestion, QuestionEvent, SessionDraft, StandingScope } from "../../src/server/ports/people.ts";
import type { Ports } from "../../src/server/ports.ts";
import { createBackgroundProcesses } from "../../src/sandbox/background-processes.ts";
import { localSandbox } from "./local-sandbox.ts";
import { bot, sure, tokens } from "./open-server.ts";

/** One request in the record, with how it ended. */
export interface Recorded {
  readonly id: EntryId;
  readonly entry: Entry;
  readonly outcomes: Outcome[];
}

/** A denial for tests. */
export const denial: Denial = {
  effect: "run sudo -n true",
  ruleId: "blocklist.sudo",
  source: "hardcoded",
  because: "it would become root",
  missing: "nothing lifts it",
  next: "do without root",
};

function within(folder: AbsolutePath, name: string): AbsolutePath {
  return sure(resolvePath(folder, name));
}

/** The rooms behind the server, small and in memory, around the real gate; changes of files are the real ones, in the workspace. */
export function smallRooms(workspace: AbsolutePath) {
  const recorded: Recorded[] = [];
  const sandbox = localSandbox();
  const sessions = new Map<SessionId, Session>();
  const stored = new Map<string, Buffer>();
  const questions: OpenQuestion[] = [];
  const events: QuestionEvent[] = [];
  const records: AuditRecord[] = [];
  const rules: Rule[] = [];
  const faults: RuleFault[] = [];
  const standing: StandingScope[] = [];
  const log: string[] = [];
  /** What people were asked, before it was made safe. */
  const asked: Question[] = [];
  /** What the next requests meet. Tests change it. */
  const background = createBackgroundProcesses({
    onTrouble: (error) => void log.push(String(error)),
    maxRunning: 3,
    maxEnded: 2,
    ringBytes: 256 * 1024,
  });
  const law = {
    /** Bytes that an agent may still read and write. */
    dayBytes: 1e12,
    superseded: false,
    verdict: (_intent: Intent): Verdict => "allow",
    answer: (): Promise<void> => Promise.resolve(),
  };

  function judgementOf<I extends Intent>(subject: { readonly session: SessionId }, intent: I): Judgement<I> {
    const verdict = law.verdict(intent);
    const finding: Finding = {
      effect: { kind: "opaque", text: "?", why: "a test", cause: "limit" },
      verdict,
      rules: [],
      because: "the test says so",
      firm: verdict === "deny",
    };
    const decision: Decision = { verdict, findings: [finding] };
    const by = { kind: "rule" } as const;
    const action = {
      ...intent,
      session: subject.session,
      workspace,
      scopes: [],
      image: undefined,
      ...(intent.kind === "fetch" ? { host: "test", port: 80 } : {}),
    } as unknown as Judgement<I>["action"] & Action;
    switch (verdict) {
      case "allow":
        return { decision, action, spends: [], settlement: { kind: "allow", by } };
      case "ask":
        return { decision, action, spends: [], settlement: { kind: "ask", open: [finding] } };
      default:
        return { decision, action, spends: [], settlement: { kind: "deny", by, finding, next: "stop" } };
    }
  }

  const gate = createGate({
    judge: { judge: judgementOf },
    asker: {
      async ask(question, signal) {
        asked.push(question);
        const left = new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        });
        await Promise.race([law.answer(), left]);
        return { kind: "allow", by: { kind: "person", name: "p", channel: "socket" } };
      },
    },
    recorder: {
      open: (entry) => record(entry),
      refuse: (entry) => record(entry),
      close: (id, outcome) => void sure(recorded.find((each) => each.id === id)).outcomes.push(outcome),
    },
    narrator: { title: () => "a test", drafts: () => [], denial: () => denial },
    states: () => [],
    moment: () => () => false,
    spend: () => {},
  });

  function record(entry: Entry): EntryId {
    const id = `e${recorded.length + 1}` as EntryId;
    recorded.push({ id, entry, outcomes: [] });
    return id;
  }

  function openSession(caller: Caller, draft: SessionDraft): { session: Session; existing: boolean } {
    for (const session of sessions.values())
      if (session.subject.agent === caller.agent && session.key === draft.key) return { session, existing: true };
    const id = sure(parseSessionId(`s${sessions.size + 1}`));
    const session: Session = {
      subject: {
        agent: caller.agent,
        session: id,
        channel: draft.channel,
        role: caller.role,
        tier: caller.tier,
        mode: draft.mode,
        attended: draft.attended,
      },
      workspace: draft.workspace ?? workspace,
      scopes: [{ root: draft.workspace ?? workspace, access: "rw", lasts: "always" }, ...draft.scopes],
      rules: [],
      image: draft.image,
      limits: { memoryBytes: 1, cpus: 1, pids: 1, tmpBytes: 1 },
      openedAt: new Date(1_000_000),
      lastUsedAt: new Date(2_000_000),
      key: draft.key,
    };
    sessions.set(id, session);
    return { session, existing: false };
  }

  function getSession(caller: Caller, id: SessionId): Session {
    const session = sessions.get(id);
    if (session === undefined || (session.subject.agent !== caller.agent && caller.role !== "admin"))
      throw new Problem("not_found", "session_id: no such session", { field: "session_id" });
    return session;
  }

  function infoOf(path: string): FileInfo {
    const content = stored.get(path);
    if (content === undefined) throw new Problem("not_found", `${path}: not there`, { field: "path" });
    return {
      name: path,
      kind: "file",
      size: content.length,
      mode: 0o644,
      uid: 1,
      gid: 2,
      modifiedAt: "2026-01-02T03:04:05.000000006Z",
      links: 1,
      allocated: 4096,
    };
  }

  async function follow(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve());
    });
  }

  const ports: Ports = {
    tokens,
    gate,
    sessions: {
      ofCaller: (caller) =>
        openSession(caller, {
          workspace,
          key: "default",
          mode: "ask",
          attended: true,
          image: undefined,
          scopes: [],
          channel: caller.channel,
        }).session,
      get: getSession,
      open: openSession,
      update: (caller, id, change) => {
        const session = getSession(caller, id);
        const changed: Session = {
          ...session,
          subject: { ...session.subject, mode: change.mode ?? session.subject.mode },
          scopes: [...session.scopes, ...change.addScopes].filter(({ root }) => !change.removeScopes.includes(root)),
        };
        sessions.set(id, changed);
        return changed;
      },
      close: (caller, id) => void sessions.delete(getSession(caller, id).subject.session),
      list: (caller) =>
        [...sessions.values()].filter(({ subject }) => caller.role === "admin" || subject.agent === caller.agent),
      standing: () => standing,
      revokeStanding: (_caller, { agent, workspace: folder, root }) => {
        const at = standing.findIndex(
          (each) => each.agent === agent && each.workspace === folder && each.scope.root === root,
        );
        if (at === -1) throw new Problem("not_found", "root: not granted always there", { field: "root" });
        standing.splice(at, 1);
      },
    },
    sandboxes: { acquire: () => Promise.resolve(sandbox), superseded: () => law.superseded },
    background,
    parsePath: parseAbsolutePath,
    files: {
      read(permit) {
        const { path, offset, length } = Permit.redeem(permit, "read");
        const info = infoOf(path);
        const content = sure(stored.get(path)).subarray(offset, length === 0 ? undefined : offset + length);
        async function* chunks(): AsyncGenerator<Uint8Array> {
          for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
        }
        const end = { truncated: false, endOfFile: true, lines: 0 };
        const type = { kind: "text", encoding: "us-ascii" } as const;
        return Promise.resolve({ info, content: type, chunks: chunks(), end: () => end, close: () => {} });
      },
      async write(permit, chunks) {
        const { path } = Permit.redeem(permit, "write");
        const parts: Uint8Array[] = [];
        for await (const chunk of chunks) parts.push(new Uint8Array(chunk));
        const content = Buffer.concat(parts);
        stored.set(path, content);
        return { info: infoOf(path), bytes: content.length };
      },
      stat: (permit) => Promise.resolve(infoOf(Permit.redeem(permit, "stat").path)),
      list(permit, _below, _signal) {
        const { path, limit } = Permit.redeem(permit, "list");
        const entries = [...stored.keys()].filter((name) => name.startsWith(`${path}/`)).map(infoOf);
        const cursorAfter = (last: FileInfo | undefined): string => `after ${last?.name ?? ""}`;
        return Promise.resolve({ entries: entries.slice(0, limit), truncated: entries.length > limit, cursorAfter });
      },
    },
    changes: createFileChanges({
      journal: within(workspace, ".writing"),
      trash: { folders: [within(workspace, ".trash")], retentionMs: 60_000, maxBytes: 1e9, clock: () => new Date() },
      maxFileBytes: 1e9,
      maxEntries: 1000,
      onTrouble: (error) => log.push(String(error)),
    }),
    budget: {
      left: () => law.dayBytes,
      spend(_agent, bytes) {
        if (bytes > law.dayBytes) throw new Problem("resource_exhausted", "no bytes are left today");
        law.dayBytes -= bytes;
      },
    },
    entries: { below: () => () => "allow", of: () => "allow" },
    trees: {
      search(permit) {
        const { path, limit } = Permit.redeem(permit, "search");
        async function* hits(): AsyncGenerator<SearchHit> {
          for (const name of [...stored.keys()].filter((each) => each.startsWith(`${path}/`)).slice(0, limit))
            yield {
              path: name as AbsolutePath,
              line: 1,
              offset: 0,
              text: sure(stored.get(name)),
              cut: false,
              spans: [],
              context: false,
            };
        }
        return { hits: hits(), end: () => "complete" };
      },
      download(permit) {
        const { path } = Permit.redeem(permit, "download");
        const leftOut = { first: [{ name: "n\udcff", reason: "its name is not UTF-8" }], count: 3 };
        async function* chunks(): AsyncGenerator<Uint8Array> {
          yield Buffer.from(`archive of ${path}`);
        }
        const info = { ...infoOf([...stored.keys()][0] ?? ""), name: path, kind: "folder" as const };
        return { info, chunks: chunks(), end: () => ({ entries: 2, bytes: 5, leftOut }) };
      },
      async upload(permit, _below, chunks) {
        const { path } = Permit.redeem(permit, "upload");
        const parts: Uint8Array[] = [];
        for await (const chunk of chunks) parts.push(new Uint8Array(chunk));
        stored.set(path, Buffer.concat(parts));
        const leftOut = { first: [{ name: "a", reason: "it exists already" }], count: 1 };
        return { files: 1, folders: 2, links: 3, bytes: 4, leftOut };
      },
      async *watch(permit, _below, _of, signal) {
        const { path } = Permit.redeem(permit, "watch");
        yield { kind: "ready" };
        yield { kind: "changed", path: `${path}/a\udcff` as AbsolutePath, fileKind: "file" };
        yield { kind: "overflow" };
        await follow(signal);
      },
    },
    pages: {
      read: (body, contentType, baseUrl) =>
        Promise.resolve({ text: `${contentType} of ${baseUrl}: é${body.length}`, mediaType: "text/markdown" }),
    },
    fetcher: {
      async fetch(permit, next): Promise<FetchResult> {
        const { url } = Permit.redeem(permit, "fetch");
        const [, answer = ""] = url.split("#");
        if (answer.startsWith("redirect")) {
          const hop = await next({
            kind: "fetch",
            url: "http://second.test/#body",
            method: "GET",
            headers: [],
            body: undefined,
            maxBytes: 1,
            timeoutMs: 1,
            hop: 1,
          });
          Permit.redeem(hop, "fetch");
        }
        async function* body(): AsyncGenerator<Uint8Array> {
          for (let sent = 0; sent < Number(answer.split("=")[1] ?? 5); sent += 65_536)
            yield Buffer.alloc(Math.min(65_536, Number(answer.split("=")[1] ?? 5) - sent), "x");
          if (answer.startsWith("broken")) throw new Problem("unavailable", "the server broke off");
        }
        return {
          status: 200,
          headers: [["content-type", "text/plain"]],
          finalUrl: url,
          hops: [
            {
              url,
              address: "192.0.2.1:80",
              status: 200,
              timings: { dnsMs: 1.5, connectMs: 0.25, tlsMs: 0, firstByteMs: 20.0004 },
            },
          ],
          body: body(),
          truncated: false,
          close: () => {
            log.push("fetch closed");
            return Promise.resolve();
          },
        };
      },
    },
    approvals: {
      async *watch(signal) {
        yield* events;
        await follow(signal);
      },
      list: () => questions,
      answer: (id, { kind, message, ...more }, by, also) => {
        log.push(`${by.agent} answers ${[id, ...also].join(",")} ${kind} ${message} ${JSON.stringify(more)}`);
        return { rules, notCounted: also.map((other) => ({ id: other, reason: "closed" })) };
      },
      tryEdit: (id, edited, by) => {
        log.push(`${by.agent} tries ${id} ${edited}`);
        return { title: edited, detail: edited, findings: [], marks: [], suspicious: false, plan: "p1" };
      },
      proposals: () => [],
    },
    audit: {
      query: ({ agent, limit, cursor }) => {
        const fitting = records
          .filter((each) => agent === undefined || each.agent === agent)
          .filter((each) => cursor === undefined || each.seq < Number(cursor))
          .toReversed();
        const page = fitting.slice(0, limit);
        const last = page.at(-1);
        return { records: page, next: fitting.length > limit && last !== undefined ? String(last.seq) : undefined };
      },
      async *follow({ agent, kind, since, until }, after, signal) {
        yield* records.filter(
          (each) =>
            after !== undefined &&
            each.seq > after &&
            (agent === undefined || each.agent === agent) &&
            (kind === undefined || each.kind === kind) &&
            (since === undefined || new Date(each.at) >= since) &&
            (until === undefined || new Date(each.at) < until),
        );
        await follow(signal);
      },
      verify: () => ({ ok: false, records: 7, firstBad: 3, reason: "changed" }),
    },
    policy: {
      check: (session, intent) => {
        const { decision, settlement } = judgementOf(session.subject, intent);
        return { decision, settlement, denial: settlement.kind === "deny" ? denial : undefined };
      },
      explain: (session, intent) => ({
        text: JSON.stringify(intent),
        settlement: judgementOf(session.subject, intent).settlement,
      }),
      list: () => rules,
      faults: () => faults,
      add: (_session, rule) => {
        const kept: Rule = { ...rule, id: `${rule.source}.${rules.length + 1}` };
        rules.push(kept);
        return kept;
      },
      remove: (_session, source, id) => {
        const at = rules.findIndex((rule) => rule.source === source && rule.id === id);
        if (at === -1) throw new Problem("not_found", "rule_id: no such rule", { field: "rule_id" });
        rules.splice(at, 1);
      },
    },
    agents: {
      list: () => [{ name: bot, tier: "operator", createdAt: new Date(0), tokens: 1 }],
      createToken: (agent, tier) => `token-of-${agent}-${tier ?? "same"}`,
      revokeTokens: () => 2,
      usage: () => ({
        requests: 4,
        refused: 3,
        commands: 2,
        bytes: 2 ** 40,
        budgets: [{ name: "egress.day", unit: "bytes", used: 2 ** 29, limit: 2 ** 30 }],
      }),
    },
  };
  return {
    ports,
    law,
    recorded,
    sandbox,
    stored,
    questions,
    events,
    records,
    rules,
    faults,
    standing,
    log,
    asked,
    channel: sure(parseChannel("socket")),
  };
}
