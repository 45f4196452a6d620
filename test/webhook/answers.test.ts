import { once } from "node:events";
import { connect, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { SallyportError } from "../../src/clients/client/sallyport-error.ts";
import { answersPath, createAnswerEndpoint } from "../../src/clients/webhook/answer-endpoint.ts";
import { createReplayGuard } from "../../src/clients/webhook/replay-guard.ts";
import { AnswerKind } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { questionBoard } from "../telegram/support/question-board.ts";
import { macOf, secret } from "./support/receiver.ts";

async function start(clock = { now: Math.floor(Date.now() / 1000) }) {
  const board = questionBoard("u1");
  const warnings: string[] = [];
  const endpoint = createAnswerEndpoint({
    port: board,
    secret,
    guard: createReplayGuard(() => clock.now),
    log: { info: () => {}, warn: (facts) => void warnings.push(JSON.stringify(facts)) },
    tls: undefined,
  });
  const server = createServer((socket) => endpoint.accept(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    endpoint.close();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const url = `http://127.0.0.1:${address.port}`;
  const post = async (body: string, given: Readonly<Record<string, string>> = {}, path = answersPath) => {
    const headers = {
      "content-type": "application/json",
      "sallyport-signature": `t=${clock.now},v1=${macOf("answer", clock.now, body)}`,
      ...given,
    };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body });
    const said = (await response.json()) as { error?: { code: string; message: string; field?: string } };
    return { status: response.status, ...said };
  };
  return { board, clock, url, port: address.port, post, warnings };
}

function bodyFor(questionId: string, more: object = {}, person: object = { id: "u1", name: "Ann" }): string {
  return JSON.stringify({ person, answer: { questionId, answer: "ANSWER_KIND_ALLOW", ...more } });
}

describe("an answer by the webhook", () => {
  it("counts for an admin", async () => {
    const { board, post } = await start();
    const question = board.open();
    const body = bodyFor(question.id, { answer: "ANSWER_KIND_DENY", message: "not now" });
    expect(await post(body)).toMatchObject({ status: 200, rules: [] });
    expect(board.answered).toMatchObject([{ person: "u1", request: { answer: AnswerKind.DENY, message: "not now" } }]);
  });

  it("does not count for anybody else, nor for an admin that is none any more", async () => {
    const { board, post } = await start();
    const question = board.open();
    expect(await post(bodyFor(question.id, {}, { id: "u2" }))).toMatchObject({ status: 403 });
    board.admins.delete("u1");
    expect(await post(bodyFor(question.id))).toMatchObject({ status: 403, error: { code: "permission_denied" } });
    expect(board.answered).toEqual([]);
  });

  it("counts once, however often it is sent", async () => {
    const { board, post } = await start();
    board.failWith(new SallyportError("unavailable", "the answer could not be stored"));
    const body = bodyFor(board.open().id);
    expect(await post(body)).toMatchObject({ status: 503 });
    expect(await post(body)).toMatchObject({
      status: 401,
      error: { message: expect.stringContaining("used before") as unknown },
    });
    expect(board.answered).toEqual([]);
  });

  it("counts within five minutes, and not when it was signed before the start", async () => {
    const clock = { now: 1_800_000_000 };
    const { board, post } = await start(clock);
    const body = bodyFor(board.open().id);
    const at = (time: number) => ({ "sallyport-signature": `t=${time},v1=${macOf("answer", time, body)}` });
    expect(await post(body, at(clock.now - 1))).toMatchObject({
      status: 401,
      error: { message: expect.stringContaining("before this start") as unknown },
    });
    expect(await post(body, at(clock.now + 302))).toMatchObject({
      status: 401,
      error: { message: expect.stringContaining("too old or too new") as unknown },
    });
    clock.now += 1000;
    expect(await post(body, at(clock.now - 302))).toMatchObject({ status: 401 });
    expect(await post(body, at(clock.now - 299))).toMatchObject({ status: 200 });
  });

  it.each([
    ["no signature", { "sallyport-signature": "" }],
    [
      "another secret",
      (body: string, now: number) => ({
        "sallyport-signature": `t=${now},v1=${macOf("answer", now, body, `${secret}!`)}`,
      }),
    ],
    [
      "another body",
      (body: string, now: number) => ({ "sallyport-signature": `t=${now},v1=${macOf("answer", now, `${body} `)}` }),
    ],
    [
      "another time",
      (body: string, now: number) => ({ "sallyport-signature": `t=${now + 1},v1=${macOf("answer", now, body)}` }),
    ],
    [
      "what signs questions",
      (body: string, now: number) => ({ "sallyport-signature": `t=${now},v1=${macOf("question", now, body)}` }),
    ],
    [
      "capitals",
      (body: string, now: number) => ({
        "sallyport-signature": `t=${now},v1=${macOf("answer", now, body).toUpperCase()}`,
      }),
    ],
    [
      "two times",
      (body: string, now: number) => ({ "sallyport-signature": `t=1,t=${now},v1=${macOf("answer", now, body)}` }),
    ],
    ["a short one", (_body: string, now: number) => ({ "sallyport-signature": `t=${now},v1=00` })],
  ])("is refused with %s", async (_what, headers) => {
    const { board, post, clock, warnings } = await start();
    const body = bodyFor(board.open().id);
    const given = typeof headers === "function" ? headers(body, clock.now) : headers;
    expect(await post(body, given)).toMatchObject({ status: 401, error: { code: "unauthenticated" } });
    expect(board.answered).toEqual([]);
    expect(warnings).toHaveLength(1);
  });

  it.each([
    ["no JSON", "{", "body"],
    ["a list", "[]", "body"],
    ["null", "null", "body"],
    ["bytes that are no UTF-8 once decoded", '"\ud800"', "body"],
    ["something unknown", JSON.stringify({ person: { id: "u1" }, answer: {}, role: "admin" }), "body"],
    ["a role of the person", JSON.stringify({ person: { id: "u1", role: "admin" }, answer: {} }), "person"],
    ["no person", JSON.stringify({ answer: {} }), "person"],
    ["a person that is a list", JSON.stringify({ person: ["u1"], answer: {} }), "person"],
    ["capitals in the person", bodyFor("q", {}, { id: "U1" }), "person.id"],
    ["a person with a line end", bodyFor("q", {}, { id: "u1\n" }), "person.id"],
    ["a number for a person", bodyFor("q", {}, { id: 7 }), "person.id"],
    ["a long name", bodyFor("q", {}, { id: "u1", name: "n".repeat(201) }), "person.name"],
    ["an unknown field of the answer", bodyFor("q", { by: "u1" }), "answer"],
    ["an unknown answer", bodyFor("q", { answer: "ANSWER_KIND_YES" }), "answer"],
    ["a deep nest", `{"person":${"[".repeat(200_000)}`, "body"],
  ])("is refused with %s, and the field is named", async (_what, body, field) => {
    const { board, post } = await start();
    board.open();
    expect(await post(body)).toMatchObject({ status: 400, error: { code: "invalid_argument", field } });
    expect(board.answered).toEqual([]);
  });

  it("is read to a bound, and at its own path and method only", async () => {
    const { post, url, clock } = await start();
    const large = `"${"x".repeat(600_000)}"`;
    const said = await post(large).catch(() => ({ status: 413 }));
    expect(said.status).toBe(413);
    expect(await post("{}", {}, "/")).toMatchObject({ status: 404 });
    expect(await post("{}", {}, `${answersPath}?x=1`)).toMatchObject({ status: 404 });
    expect(await post("{}", { "content-type": "text/plain" })).toMatchObject({ status: 400 });
    const signature = `t=${clock.now},v1=${macOf("answer", clock.now, "")}`;
    const got = await fetch(`${url}${answersPath}`, { headers: { "sallyport-signature": signature } });
    expect(got.status).toBe(405);
  });

  it("is told nothing of what is our own fault", async () => {
    const { board, post } = await start();
    board.failWith(new TypeError("the innards") as unknown as SallyportError);
    const said = await post(bodyFor(board.open().id));
    expect(said).toMatchObject({ status: 500, error: { code: "internal", message: "internal error" } });
  });

  it("waits for nobody: bytes that are no HTTP, and more connections than there may be, are cut", async () => {
    const { port } = await start();
    const garbage = connect(port, "127.0.0.1");
    garbage.resume().write("\0\0\0\0\r\n\r\n");
    await once(garbage, "close");
    const silent = Array.from({ length: 65 }, () => connect(port, "127.0.0.1"));
    onTestFinished(() => silent.forEach((socket) => socket.destroy()));
    for (const socket of silent) socket.resume().on("error", () => {});
    await Promise.race(silent.map((socket) => once(socket, "close")));
  });
});
