import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ClientReadableStream, Metadata } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { AgentsService } from "../../src/gen/sallyport/v1/agents_pb.ts";
import {
  AnswerKind,
  type AnswerRequestSchema,
  RulesFile,
  ApprovalsService,
  type ApprovalsServiceWatchResponse,
} from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { AuditService } from "../../src/gen/sallyport/v1/audit_pb.ts";
import { Access, Lasts, Mode, RuleSource, Tier, Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { FetchService } from "../../src/gen/sallyport/v1/fetch_pb.ts";
import { FileKind, FilesService, type ReadResponse, WriteDisposition } from "../../src/gen/sallyport/v1/files_pb.ts";
import { PolicyService } from "../../src/gen/sallyport/v1/policy_pb.ts";
import { SessionsService } from "../../src/gen/sallyport/v1/sessions_pb.ts";
import { parseAbsolutePath } from "../../src/model/absolute-path.ts";
import { parseAgentId, parseQuestionId } from "../../src/model/ids.ts";
import { methodName } from "../../src/server/glue/method-name.ts";
import type { AuditRecord } from "../../src/server/ports/judging.ts";
import type { OpenQuestion } from "../../src/server/ports/people.ts";
import { apiRoutes, apiServices, completeRoutes, unbuiltRpcs } from "../../src/server/routes.ts";
import { bearer, callUnary, collect, failureOf, openClientStream, openServerStream } from "./call.ts";
import { bot, openClient, openServer, sure, temporaryFolder } from "./open-server.ts";
import { smallRooms } from "./rooms.ts";
import { until } from "./until.ts";

async function open() {
  const workspace = temporaryFolder();
  const rooms = smallRooms(workspace);
  const opened = await openServer(completeRoutes(apiRoutes(rooms.ports)));
  return { ...opened, ...rooms, workspace, client: openClient(opened.socket) };
}

const agent = bearer("good");

it("serves every RPC but those that are listed as unbuilt", () => {
  const served = new Set(apiRoutes(smallRooms(temporaryFolder()).ports).map(({ method }) => methodName(method)));
  const all = apiServices.flatMap((service) => service.methods.map(methodName));
  expect(all.filter((name) => !served.has(name))).toEqual(unbuiltRpcs);
});

describe("Sessions", () => {
  const {
    open: openSession,
    get,
    update,
    close,
    list,
    listStanding,
    revokeStanding,
    authorize,
  } = SessionsService.method;

  it("opens, finds again, changes, lists and closes", async () => {
    const { client, workspace } = await open();
    const opened = await callUnary(client, openSession, { key: "k", mode: Mode.SUPERVISED });
    expect(opened).toMatchObject({
      existing: false,
      session: {
        id: "s1",
        agent: "local",
        channel: "socket",
        key: "k",
        workspace,
        mode: Mode.SUPERVISED,
        tier: Tier.FULL,
        attended: true,
        image: "",
        scopes: [{ root: workspace, access: Access.READ_WRITE }],
        openedAt: "1970-01-01T00:16:40.000Z",
      },
    });
    expect(await callUnary(client, openSession, { key: "k" })).toMatchObject({ existing: true, session: { id: "s1" } });
    const changed = await callUnary(client, update, {
      sessionId: "s1",
      mode: Mode.ALLOW_ALL,
      addScopes: [{ root: "/opt", access: Access.READ_ONLY }],
    });
    expect(changed.session).toMatchObject({ mode: Mode.ALLOW_ALL, scopes: [{}, { root: "/opt" }] });
    expect((await callUnary(client, get, { sessionId: "s1" })).session).toEqual(changed.session);
    expect((await callUnary(client, list, {})).sessions).toHaveLength(1);
    await callUnary(client, close, { sessionId: "s1" });
    expect(await failureOf(callUnary(client, get, { sessionId: "s1" }))).toMatchObject({ code: "NOT_FOUND" });
  });

  it("lets no agent widen anything, nor see another's session", async () => {
    const { client } = await open();
    const folder = { root: "/opt", access: Access.READ_ONLY };
    const widenings = [
      callUnary(client, openSession, { mode: Mode.ALLOW_ALL }, agent),
      callUnary(client, openSession, { mode: Mode.AUTOPILOT }, agent),
      callUnary(client, openSession, { scopes: [folder] }, agent),
      callUnary(client, update, { sessionId: "s1", mode: Mode.AUTOPILOT }, agent),
      callUnary(client, update, { sessionId: "s1", addScopes: [folder] }, agent),
    ];
    for (const widening of widenings)
      expect(await failureOf(widening)).toMatchObject({
        code: "PERMISSION_DENIED",
        details: expect.stringContaining("needs an admin"),
      });
    const { session } = await callUnary(client, openSession, {});
    const sessionId = sure(session).id;
    for (const call of [
      callUnary(client, get, { sessionId }, agent),
      callUnary(client, update, { sessionId }, agent),
      callUnary(client, close, { sessionId }, agent),
    ])
      expect(await failureOf(call)).toMatchObject({ code: "NOT_FOUND" });
  });

  it("lists and takes back what is granted always, for an admin", async () => {
    const { client, standing, workspace } = await open();
    const root = sure(parseAbsolutePath("/opt"));
    const name = sure(parseAgentId("bot"));
    standing.push({
      agent: name,
      workspace,
      scope: { root, access: "ro", lasts: "always", expiresAt: new Date(4e12) },
      grantedAt: new Date(1e12),
    });
    expect(await callUnary(client, listStanding, {})).toMatchObject({
      standing: [
        {
          agent: "bot",
          workspace,
          scope: { root: "/opt", access: Access.READ_ONLY, lasts: Lasts.ALWAYS, expiresAt: "2096-10-02T07:06:40.000Z" },
          grantedAt: "2001-09-09T01:46:40.000Z",
        },
      ],
    });
    for (const call of [
      callUnary(client, listStanding, {}, agent),
      callUnary(client, revokeStanding, { agent: "bot", workspace, root: "/opt" }, agent),
    ])
      expect(await failureOf(call)).toMatchObject({ code: "PERMISSION_DENIED" });
    await callUnary(client, revokeStanding, { agent: "bot", workspace, root: "/opt" });
    expect(standing).toEqual([]);
    expect(await failureOf(callUnary(client, revokeStanding, { agent: "bot", workspace, root: "/opt" }))).toMatchObject(
      { code: "NOT_FOUND" },
    );
  });

  it.each(["", "../x", "a b", "é", "a".repeat(65)])("refuses the identifier %j", async (sessionId) => {
    const { client } = await open();
    for (const call of [
      callUnary(client, get, { sessionId }),
      callUnary(client, update, { sessionId }),
      callUnary(client, close, { sessionId }),
    ])
      expect(await failureOf(call)).toMatchObject({
        code: "INVALID_ARGUMENT",
        details: sessionId === "" ? "session_id: must be set" : "session_id: is no identifier",
      });
  });

  it("authorizes a capability in the default session, or says why not", async () => {
    const { client, law, recorded } = await open();
    expect(await callUnary(client, authorize, { capability: "mcp", name: "a/b" })).toMatchObject({ entryId: "e1" });
    expect(recorded[0]).toMatchObject({
      entry: { intent: { kind: "use", capability: "mcp", name: "a/b" }, subject: { session: "s1" } },
      outcomes: [{ kind: "done" }],
    });
    law.verdict = () => "deny";
    expect(await failureOf(callUnary(client, authorize, { capability: "mcp", name: "a/b" }))).toMatchObject({
      code: "PERMISSION_DENIED",
      detail: { typeUrl: "type.googleapis.com/sallyport.v1.Denial" },
    });
  });
});

describe("Files", () => {
  const { read, write, stat, list } = FilesService.method;

  function put(rooms: Awaited<ReturnType<typeof open>>, path: string, parts: readonly Buffer[]) {
    const { stream, answer } = openClientStream(rooms.client, write);
    stream.write({ part: { case: "start", value: { path, disposition: WriteDisposition.OVERWRITE } } });
    for (const part of parts) stream.write({ part: { case: "data", value: part } });
    stream.end();
    return answer;
  }

  it("writes in parts and reads back in parts", async () => {
    const rooms = await open();
    const parts = Array.from({ length: 4 }, (_value, index) => Buffer.alloc(1024 * 1024, index));
    const written = await put(rooms, "/w/a", parts);
    expect(written).toMatchObject({ bytes: 4194304n, entryId: "e1", info: { size: 4194304n, kind: FileKind.FILE } });
    const seen = await collect(openServerStream(rooms.client, read, { path: "/w/a", offset: 1n }));
    const data = seen.flatMap(({ part }: ReadResponse) => (part.case === "data" ? [part.value] : []));
    expect(Buffer.concat(data).equals(Buffer.concat(parts).subarray(1))).toBe(true);
    expect(seen[0]?.part).toMatchObject({
      case: "header",
      value: { entryId: "e2", info: { mode: 0o644, uid: 1, gid: 2 } },
    });
    expect(seen.at(-1)?.part).toMatchObject({ case: "trailer", value: { bytes: 4194303n, truncated: false } });
    expect(rooms.recorded.map(({ outcomes }) => outcomes)).toMatchObject([
      [{ kind: "done", facts: { bytes: 4194304 } }],
      [{ kind: "done", facts: { bytes: 4194303, truncated: false } }],
    ]);
  });

  it("describes and lists", async () => {
    const rooms = await open();
    await put(rooms, "/w/a", []);
    await put(rooms, "/w/b", []);
    const { client } = rooms;
    expect(await callUnary(client, stat, { path: "/w/a" })).toMatchObject({
      info: { name: "/w/a", modifiedAt: "2026-01-02T03:04:05.000000006Z" },
    });
    expect(await callUnary(client, list, { path: "/w", limit: 1 })).toMatchObject({
      entries: [{ name: "/w/a" }],
      truncated: true,
    });
    expect(await failureOf(callUnary(client, stat, { path: "/w/none" }))).toMatchObject({ code: "NOT_FOUND" });
    expect(rooms.recorded.at(-1)?.outcomes).toMatchObject([
      { kind: "failed", reason: expect.stringMatching(/^not_found/) },
    ]);
  });

  it("cuts a list that no client would take", async () => {
    const { client, stored } = await open();
    for (let index = 0; index < 9000; index += 1) stored.set(`/w/${"x".repeat(240)}${index}`, Buffer.alloc(0));
    const { entries, truncated } = await callUnary(client, list, { path: "/w", limit: 10_000 });
    expect(truncated).toBe(true);
    expect(entries.length).toBeGreaterThan(4000);
  });

  it.each([
    ["nothing", [], "start: must be the first message"],
    ["data first", [{ part: { case: "data" as const, value: Buffer.from("x") } }], "start: must be the first message"],
    ["an empty part", [{}], "start: must be the first message"],
    [
      "a second start",
      [
        { part: { case: "start" as const, value: { path: "/w/a", disposition: WriteDisposition.CREATE } } },
        { part: { case: "start" as const, value: { path: "/w/a", disposition: WriteDisposition.CREATE } } },
      ],
      "start: was sent before",
    ],
    [
      "an empty part in the middle",
      [{ part: { case: "start" as const, value: { path: "/w/a", disposition: WriteDisposition.CREATE } } }, {}],
      "part: must be set",
    ],
    [
      "too long a part",
      [
        { part: { case: "start" as const, value: { path: "/w/a", disposition: WriteDisposition.CREATE } } },
        { part: { case: "data" as const, value: Buffer.alloc(1024 * 1024 + 1) } },
      ],
      "data: longer than 1048576 bytes in one message",
    ],
  ])("refuses a write of %s and writes nothing", async (_name, requests, details) => {
    const { client, stored, recorded } = await open();
    const { stream, answer } = openClientStream(client, write);
    for (const request of requests) stream.write(request);
    stream.end();
    expect(await failureOf(answer)).toMatchObject({ code: "INVALID_ARGUMENT", details });
    expect(stored.size).toBe(0);
    for (const { outcomes } of recorded) expect(outcomes).toMatchObject([{ kind: "failed" }]);
  });

  it("writes nothing where the caller leaves in the middle, although that looks like an end at first", async () => {
    const { client, stored, recorded } = await open();
    for (let round = 1; round <= 50; round += 1) {
      const { stream, answer } = openClientStream(client, write);
      stream.write({ part: { case: "start", value: { path: "/w/a", disposition: WriteDisposition.CREATE } } });
      stream.write({ part: { case: "data", value: Buffer.from("half") } });
      await until(() => recorded.length === round);
      stream.cancel();
      expect(await failureOf(answer)).toMatchObject({ code: "CANCELLED" });
      await until(() => recorded.at(-1)?.outcomes.length === 1);
      expect(recorded.at(-1)?.outcomes).toMatchObject([
        { kind: "failed", reason: expect.stringContaining("cancelled") },
      ]);
    }
    expect(stored.size).toBe(0);
  });

  it("takes many writes that end at once on one connection", async () => {
    const rooms = await open();
    const names = Array.from({ length: 100 }, (_value, index) => `/w/${index}`);
    await Promise.all(names.map((name) => put(rooms, name, [Buffer.from(name)])));
    expect([...rooms.stored.keys()].sort()).toEqual(names.sort());
  });
});

describe("Fetch", () => {
  const { get, stream } = FetchService.method;

  it("returns the answer at once or as a stream", async () => {
    const { client, recorded } = await open();
    const answer = await callUnary(client, get, { spec: { url: "http://a.test/#body=100" } });
    expect(answer).toMatchObject({
      header: {
        status: 200,
        entryId: "e1",
        headers: [{ name: "content-type" }],
        hops: [{ address: "192.0.2.1:80", timings: { dnsUs: 1500, connectUs: 250, tlsUs: 0, firstByteUs: 20_000 } }],
      },
      truncated: false,
    });
    expect(answer.body).toHaveLength(100);
    const parts = await collect(openServerStream(client, stream, { spec: { url: "http://a.test/#body=70000" } }));
    expect(parts.map(({ part }) => part.case)).toEqual(["header", "data", "data", "trailer"]);
    expect(parts.at(-1)?.part).toMatchObject({ value: { bytes: 70000n, truncated: false } });
    expect(recorded[1]?.outcomes).toMatchObject([{ kind: "done", facts: { status: 200, bytes: 70000 } }]);
  });

  it("never returns more at once than a client takes", async () => {
    const { client } = await open();
    const spec = { url: "http://a.test/#body=8000000", maxBytes: 8_000_000n };
    const answer = await callUnary(client, get, { spec });
    expect(answer.truncated).toBe(true);
    expect(answer.body.length).toBeGreaterThan(4_000_000);
  });

  it("takes each redirect through the gate and records its end", async () => {
    const { client, recorded, law } = await open();
    await callUnary(client, get, { spec: { url: "http://a.test/#redirect=5" } });
    expect(recorded.map(({ entry, outcomes }) => [entry.intent, outcomes])).toMatchObject([
      [{ hop: 0 }, [{ kind: "done" }]],
      [{ hop: 1 }, [{ kind: "done" }]],
    ]);
    law.verdict = (intent) => (intent.kind === "fetch" && intent.hop === 1 ? "deny" : "allow");
    expect(await failureOf(callUnary(client, get, { spec: { url: "http://a.test/#redirect=5" } }))).toMatchObject({
      code: "PERMISSION_DENIED",
    });
    expect(recorded[2]?.outcomes).toMatchObject([{ kind: "failed" }]);
  });

  it("gives the body as text, cut at a whole character", async () => {
    const { client } = await open();
    const whole = "text/plain of http://a.test/#body=5: é5";
    const spec = { url: "http://a.test/#body=5", asText: true };
    const answer = await callUnary(client, get, { spec });
    expect([Buffer.from(answer.body).toString(), answer.truncated]).toEqual([whole, false]);
    expect(answer.header?.textType).toBe("text/markdown");
    const cut = await callUnary(client, get, { spec: { ...spec, maxBytes: BigInt(whole.length - 1) } });
    expect([Buffer.from(cut.body).toString(), cut.truncated]).toEqual([whole.slice(0, -2), true]);
    const parts = await collect(openServerStream(client, stream, { spec }));
    expect(parts.map(({ part }) => part.case)).toEqual(["header", "data", "trailer"]);
    expect(await failureOf(callUnary(client, get, { spec: { ...spec, maxBytes: 9_000_000n } }))).toMatchObject({
      code: "INVALID_ARGUMENT",
      details: expect.stringContaining("max_bytes") as string,
    });
  });

  it("closes and records an answer that breaks off, or that nobody reads", async () => {
    const { client, recorded, log } = await open();
    expect(await failureOf(callUnary(client, get, { spec: { url: "http://a.test/#broken=5" } }))).toMatchObject({
      code: "UNAVAILABLE",
      details: "the server broke off",
    });
    expect(recorded[0]?.outcomes).toMatchObject([{ kind: "failed" }]);
    const left = openServerStream(client, stream, { spec: { url: "http://a.test/#body=99999999", maxBytes: 1n } });
    left.on("error", () => {});
    await new Promise((resolve) => left.once("data", resolve));
    left.pause();
    left.cancel();
    await until(() => recorded[1]?.outcomes.length === 1);
    expect(recorded[1]?.outcomes).not.toMatchObject([{ kind: "done" }]);
    expect(log).toEqual(["fetch closed", "fetch closed"]);
  });
});

describe("Approvals", () => {
  const { watch, list, answer, tryEdit } = ApprovalsService.method;

  function question(id: string, asker: string): OpenQuestion {
    return {
      id: sure(parseQuestionId(id)),
      agent: sure(parseAgentId(asker)),
      session: "s1" as OpenQuestion["session"],
      channel: "socket" as OpenQuestion["channel"],
      title: "may it?",
      detail: "all of it",
      findings: [],
      allowDrafts: [{ capability: "shell", match: "ls *", effect: "allow" }],
      denyDrafts: [],
      askedAt: new Date(0),
      deadline: new Date(1000),
      suspicious: true,
      answers: ["allow", "edit-and-allow"],
      waiting: 2,
      group: "s1:exec",
      marks: [{ start: 1, end: 3 }],
      editable: "make secret",
      places: [{ file: "workspace", path: "/c/permissions.yaml" }],
      waitsForCaller: true,
    };
  }

  it("shows what would change to those who may answer, and to nobody else", async () => {
    const { client, questions, events } = await open();
    questions.push({ ...question("q1", "bot"), preview: "diff\n| -secret" });
    for (const each of questions) events.push({ kind: "opened", question: each });
    const details = async (metadata?: Metadata) => {
      const listed = await callUnary(client, list, {}, metadata);
      const call = openServerStream(client, watch, {}, metadata);
      const { event } = await new Promise<ApprovalsServiceWatchResponse>((resolve) => call.once("data", resolve));
      call.on("error", () => undefined).cancel();
      return [listed.questions[0]?.detail, event.case === "opened" ? event.value.detail : ""];
    };
    expect((await callUnary(client, list, {}, bearer("good"))).questions[0]?.editable).toBe("");
    expect(await details(bearer("good"))).toEqual(["all of it", "all of it"]);
    expect(await details()).toEqual(Array.from({ length: 2 }, () => "all of it\ndiff\n| -secret"));
  });

  it("shows an agent its own questions and an admin all", async () => {
    const { client, questions, events } = await open();
    questions.push(question("q1", "bot"), question("q2", "other"));
    for (const each of questions) events.push({ kind: "opened", question: each });
    events.push(
      { kind: "closed", id: sure(parseQuestionId("q2")), answer: "always-deny", by: "p" },
      { kind: "closed", id: sure(parseQuestionId("q1")), answer: undefined, by: "gone" },
    );
    const ids = async (metadata = bearer("good")) =>
      (await callUnary(client, list, {}, metadata)).questions.map(({ id }) => id);
    expect(await ids()).toEqual(["q1"]);
    expect((await callUnary(client, list, {})).questions).toMatchObject([
      {
        id: "q1",
        agent: "bot",
        sessionId: "s1",
        title: "may it?",
        detail: "all of it",
        allowDrafts: [{ capability: "shell", match: "ls *", effect: Verdict.ALLOW }],
        askedAt: "1970-01-01T00:00:00.000Z",
        deadline: "1970-01-01T00:00:01.000Z",
        suspicious: true,
        answers: [AnswerKind.ALLOW, AnswerKind.EDIT_AND_ALLOW],
        waiting: 2,
        group: "s1:exec",
        marks: [{ start: 1, end: 3 }],
        editable: "make secret",
        places: [{ file: RulesFile.WORKSPACE, path: "/c/permissions.yaml" }],
        waitsForCaller: true,
      },
      { id: "q2" },
    ]);
    const seen: unknown[] = [];
    const stream = openServerStream(client, watch, {}, agent);
    stream.on("error", () => {});
    stream.on("data", ({ event }: { event: { case: string; value: { id: string; answer?: number } } }) => {
      seen.push([event.case, event.value.id, event.value.answer]);
    });
    await until(() => seen.length === 2);
    expect(seen).toEqual([
      ["opened", "q1", undefined],
      ["closed", "q1", AnswerKind.UNSPECIFIED],
    ]);
    stream.cancel();
  });

  it("takes answers from an admin alone", async () => {
    const { client, log } = await open();
    const request = { questionId: "q1", answer: AnswerKind.ALLOW, message: "m" };
    expect(await failureOf(callUnary(client, answer, request, agent))).toMatchObject({
      code: "PERMISSION_DENIED",
      details: "answering a question needs an admin",
    });
    expect(log).toEqual([]);
    await callUnary(client, answer, request);
    expect(log).toEqual(["local answers q1 allow m {}"]);
    log.length = 0;
    const timed = { questionId: "q1", answer: AnswerKind.ALLOW_FOR, forSeconds: 60, also: ["q2"] };
    expect((await callUnary(client, answer, timed)).notCounted).toMatchObject([{ questionId: "q2", reason: "closed" }]);
    const kept = { questionId: "q1", answer: AnswerKind.ALWAYS_DENY, file: RulesFile.WORKSPACE };
    await callUnary(client, answer, kept);
    await callUnary(client, answer, {
      questionId: "q1",
      answer: AnswerKind.EDIT_AND_ALLOW,
      edited: "ls -l",
      plan: "p1",
    });
    expect(log).toEqual([
      'local answers q1,q2 allow-for undefined {"forSeconds":60}',
      'local answers q1 always-deny undefined {"file":"workspace"}',
      'local answers q1 edit-and-allow undefined {"edited":"ls -l","plan":"p1"}',
    ]);
    log.length = 0;
    const trying = { questionId: "q1", edited: "ls -a" };
    expect(await failureOf(callUnary(client, tryEdit, trying, agent))).toMatchObject({
      code: "PERMISSION_DENIED",
    });
    expect(await callUnary(client, tryEdit, trying)).toMatchObject({ title: "ls -a", plan: "p1" });
    expect(log).toEqual(["local tries q1 ls -a"]);
    expect(await failureOf(callUnary(client, tryEdit, { questionId: "q1" }))).toMatchObject({
      details: "edited: must be set",
    });
    for (const [more, details] of [
      [{ answer: AnswerKind.UNSPECIFIED }, "answer: must be set"],
      [{ answer: 9 as AnswerKind }, "answer: 9 is no known value"],
      [{ questionId: "" }, "question_id: is no identifier"],
      [{ message: "a".repeat(1025) }, "message: longer than 1024 bytes"],
      [{ plan: "p" }, "plan: is for ANSWER_KIND_EDIT_AND_ALLOW only"],
      [{ edited: "ls" }, "edited: is for ANSWER_KIND_EDIT_AND_ALLOW only"],
      [{ answer: AnswerKind.EDIT_AND_ALLOW }, "edited: must be set"],
      [{ answer: AnswerKind.EDIT_AND_ALLOW, edited: "a".repeat(65_537) }, "edited: longer than 65536 bytes"],
      [
        { answer: AnswerKind.EDIT_AND_ALLOW, edited: "ls", also: ["q2"] },
        "also: one text cannot run in the place of several",
      ],
      [{ forSeconds: 5 }, "for_seconds: is for ANSWER_KIND_ALLOW_FOR only"],
      [{ answer: AnswerKind.ALLOW_FOR, forSeconds: 86_401 }, "for_seconds: 86401 is not between 1 and 86400"],
      [{ file: RulesFile.USER }, "file: is for the answers that last always only"],
      [{ answer: AnswerKind.ALWAYS_ALLOW, file: 7 as RulesFile }, "file: 7 is no known value"],
      [{ also: ["*"] }, "also[0]: is no identifier"],
      [{ also: Array.from({ length: 101 }, () => "q") }, "also: more than 100"],
    ] satisfies readonly [MessageInitShape<typeof AnswerRequestSchema>, string][])
      expect(await failureOf(callUnary(client, answer, { ...request, ...more }))).toMatchObject({
        code: "INVALID_ARGUMENT",
        details,
      });
  });
});

describe("Policy", () => {
  const { check, explain, listRules, addRule, removeRule, test } = PolicyService.method;
  const subject = { what: { case: "command" as const, value: { form: { case: "shell" as const, value: "ls" } } } };

  it("judges without recording", async () => {
    const { client, law, recorded, workspace } = await open();
    law.verdict = () => "deny";
    expect(await callUnary(client, check, { subject })).toMatchObject({
      verdict: Verdict.DENY,
      settled: Verdict.DENY,
      findings: [
        { verdict: Verdict.DENY, because: "the test says so", firm: true, effect: { kind: { case: "opaque" } } },
      ],
      denial: { ruleId: "blocklist.sudo" },
    });
    law.verdict = () => "ask";
    const asked = await callUnary(client, check, { subject });
    expect(asked).toMatchObject({ verdict: Verdict.ASK, settled: Verdict.ASK });
    expect(asked.denial).toBeUndefined();
    const explained = await callUnary(client, explain, { subject });
    expect(JSON.parse(explained.text)).toMatchObject({ kind: "exec", cwd: workspace });
    expect(JSON.parse((await callUnary(client, explain, { subject, cwd: "/opt" })).text)).toMatchObject({
      cwd: "/opt",
    });
    expect(recorded).toEqual([]);
    for (const call of [callUnary(client, check, {}), callUnary(client, explain, {})])
      expect(await failureOf(call)).toMatchObject({ details: "subject: must be set" });
    const relative = { subject, cwd: "a" };
    for (const call of [callUnary(client, check, relative), callUnary(client, explain, relative)])
      expect(await failureOf(call)).toMatchObject({ details: "cwd: must be an absolute path" });
  });

  it("adds, lists and removes rules, each by who may", async () => {
    const { client } = await open();
    const rule = { source: RuleSource.SESSION, capability: "shell", match: ["rm *"], effect: Verdict.DENY };
    expect(await callUnary(client, addRule, { rule }, agent)).toMatchObject({ rule: { id: "session.1" } });
    for (const wider of [{ effect: Verdict.ALLOW }, { source: RuleSource.USER }])
      expect(await failureOf(callUnary(client, addRule, { rule: { ...rule, ...wider } }, agent))).toMatchObject({
        code: "PERMISSION_DENIED",
      });
    await callUnary(client, addRule, { rule: { ...rule, source: RuleSource.USER, effect: Verdict.ALLOW } });
    const ids = async (source: RuleSource) =>
      (await callUnary(client, listRules, { source })).rules.map(({ id }) => id);
    expect(await ids(RuleSource.UNSPECIFIED)).toEqual(["session.1", "user.2"]);
    expect(await ids(RuleSource.USER)).toEqual(["user.2"]);
    const removal = { source: RuleSource.USER, ruleId: "user.2" };
    expect(await failureOf(callUnary(client, removeRule, removal, agent))).toMatchObject({ code: "PERMISSION_DENIED" });
    await callUnary(client, removeRule, removal);
    expect(await failureOf(callUnary(client, removeRule, removal))).toMatchObject({ code: "NOT_FOUND" });
    expect(await failureOf(callUnary(client, removeRule, { ruleId: "x" }))).toMatchObject({
      details: "source: must be set",
    });
    expect(await failureOf(callUnary(client, listRules, { source: 9 as RuleSource }))).toMatchObject({
      details: "source: 9 is no known value",
    });
  });

  it("tells an admin what is wrong with rule files, and nobody else", async () => {
    const { client, faults } = await open();
    expect((await callUnary(client, listRules, {})).faults).toEqual([]);
    const fault = { file: "/c/permissions.yaml", line: 3, column: 5, message: "unknown key" };
    faults.push(fault, ...Array.from({ length: 150 }, () => ({ ...fault, message: "x".repeat(5000) })));
    const told = (await callUnary(client, listRules, {})).faults;
    expect(told[0]).toMatchObject(fault);
    expect(told).toHaveLength(100);
    expect(told[1]?.message).toHaveLength(1000);
    expect((await callUnary(client, listRules, {}, agent)).faults).toEqual([]);
  });

  it("runs a table of cases", async () => {
    const { client, law } = await open();
    law.verdict = (intent) => (intent.kind === "exec" ? "allow" : "deny");
    const read = { what: { case: "read" as const, value: "/a" } };
    const { results } = await callUnary(client, test, {
      cases: [
        { subject, expected: Verdict.ALLOW },
        { subject: read, expected: Verdict.ALLOW },
      ],
    });
    expect(results).toMatchObject([
      { verdict: Verdict.ALLOW, passed: true },
      { verdict: Verdict.DENY, passed: false },
    ]);
    expect(await failureOf(callUnary(client, test, { cases: [{ subject }] }))).toMatchObject({
      details: "cases[0].expected: must be set",
    });
    const many = Array.from({ length: 1025 }, () => ({ subject, expected: Verdict.ALLOW }));
    expect(await failureOf(callUnary(client, test, { cases: many }))).toMatchObject({
      details: "cases: more than 1024",
    });
  });
});

describe("Audit", () => {
  const { query, follow, verify } = AuditService.method;

  function record(seq: number, more: Partial<AuditRecord> = {}): AuditRecord {
    const at = new Date(seq * 1000).toISOString();
    return { seq, at, entry: `e${seq}`, kind: "opened", agent: "bot", session: "s1", body: "{}", hash: "h", ...more };
  }

  it("pages from the newest, each page in order", async () => {
    const { client, records } = await open();
    for (let seq = 1; seq <= 5; seq += 1) records.push(record(seq));
    const sequences = async (beforeSequence: bigint) => {
      const page = await callUnary(client, query, { limit: 2, beforeSequence });
      return [page.records.map(({ sequence }) => sequence), page.nextBeforeSequence];
    };
    expect(await sequences(0n)).toEqual([[4n, 5n], 4n]);
    expect(await sequences(4n)).toEqual([[2n, 3n], 2n]);
    expect(await sequences(2n)).toEqual([[1n], 0n]);
    expect(await failureOf(callUnary(client, query, { limit: 1001 }))).toMatchObject({
      details: "limit: 1001 is not between 0 and 1000",
    });
  });

  it("ends a page where no client would take more, and goes on from there", async () => {
    const { client, records } = await open();
    for (let seq = 1; seq <= 4; seq += 1) records.push(record(seq, { body: "x".repeat(600_000) }));
    const page = await callUnary(client, query, {});
    expect(page.records.map(({ sequence }) => sequence)).toEqual([3n, 4n]);
    const rest = await callUnary(client, query, { beforeSequence: page.nextBeforeSequence });
    expect(rest.records.map(({ sequence }) => sequence)).toEqual([1n, 2n]);
    expect(rest.nextBeforeSequence).toBe(0n);
  });

  it("shows an agent its own records alone", async () => {
    const { client, records } = await open();
    records.push(record(1, { agent: "other" }), record(2), record(3, { agent: "" }));
    expect((await callUnary(client, query, {}, agent)).records).toMatchObject([{ sequence: 2n, agent: bot }]);
    expect((await callUnary(client, query, {})).records).toHaveLength(3);
    expect(await failureOf(callUnary(client, query, { filter: { agent: "other" } }, agent))).toMatchObject({
      code: "PERMISSION_DENIED",
      details: "filter.agent: another agent's record needs an admin",
    });
    expect(await failureOf(callUnary(client, verify, {}, agent))).toMatchObject({ code: "PERMISSION_DENIED" });
    const first = await firstOf(openServerStream(client, follow, { afterSequence: 1n }, agent));
    expect(first).toMatchObject({ record: { sequence: 2n } });
  });

  it("follows from a record on, by filter, and from the newest where none is named", async () => {
    const { client, records } = await open();
    records.push(record(1), record(2, { kind: "closed" }), record(3), record(4, { session: "s2", kind: "closed" }));
    const since = { kind: "closed", since: "1970-01-01T00:00:03Z", until: "1970-01-01T00:00:05Z" };
    expect(await firstOf(openServerStream(client, follow, { filter: since, afterSequence: 1n }))).toMatchObject({
      record: { sequence: 4n, sessionId: "s2" },
    });
    const stream = openServerStream(client, follow, {});
    const all = failureOf(collect(stream));
    await callUnary(client, verify, {});
    stream.cancel();
    expect(await all).toMatchObject({ code: "CANCELLED" });
  });

  it("checks the chain", async () => {
    const { client } = await open();
    expect(await callUnary(client, verify, {})).toMatchObject({
      ok: false,
      records: 7n,
      firstBadSequence: 3n,
      reason: "changed",
    });
  });
});

describe("Agents", () => {
  const { list, createToken, revokeTokens, usage } = AgentsService.method;

  it("are an admin's", async () => {
    const { client } = await open();
    expect(await callUnary(client, list, {})).toMatchObject({
      agents: [{ name: "bot", tier: Tier.OPERATOR, createdAt: "1970-01-01T00:00:00.000Z", tokens: 1 }],
    });
    expect(await callUnary(client, createToken, { agent: "bot" })).toMatchObject({ token: "token-of-bot-same" });
    expect(await callUnary(client, createToken, { agent: "bot", tier: Tier.BUILDER })).toMatchObject({
      token: "token-of-bot-builder",
    });
    expect(await callUnary(client, revokeTokens, { agent: "bot" })).toMatchObject({ revoked: 2 });
    expect(await callUnary(client, usage, { agent: "local" })).toMatchObject({
      requests: 4n,
      bytes: 1099511627776n,
      budgets: [{ name: "egress.day", unit: "bytes", used: 536870912n, limit: 1073741824n }],
    });
    const request = { agent: "bot" };
    for (const call of [
      callUnary(client, list, {}, agent),
      callUnary(client, createToken, request, agent),
      callUnary(client, revokeTokens, request, agent),
      callUnary(client, usage, request, agent),
    ])
      expect(await failureOf(call)).toMatchObject({ code: "PERMISSION_DENIED" });
  });

  it("never have the name of the socket's owner, nor one that is none", async () => {
    const { client } = await open();
    const owner = { agent: "local" };
    for (const call of [callUnary(client, createToken, owner), callUnary(client, revokeTokens, owner)])
      expect(await failureOf(call)).toMatchObject({
        code: "INVALID_ARGUMENT",
        details: "agent: `local` is the owner of the socket and has no tokens",
      });
    for (const name of ["", "A", "a/b", "a".repeat(64)])
      expect(await failureOf(callUnary(client, createToken, { agent: name }))).toMatchObject({
        code: "INVALID_ARGUMENT",
      });
    expect(await failureOf(callUnary(client, createToken, { agent: "a", tier: 9 as Tier }))).toMatchObject({
      details: "tier: 9 is no known value",
    });
  });
});

/** The first message of a stream, which is cancelled then. */
async function firstOf<T>(stream: ClientReadableStream<T>): Promise<T> {
  const first = await new Promise<T>((resolve, reject) => {
    stream.once("data", resolve);
    stream.on("error", reject);
  });
  stream.removeAllListeners("error");
  stream.on("error", () => {});
  stream.cancel();
  return first;
}
