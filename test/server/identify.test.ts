import { describe, expect, it } from "vitest";
import { Metadata } from "@grpc/grpc-js";
import { SessionsService } from "../../src/gen/sallyport/v1/sessions_pb.ts";
import { Health } from "../../src/gen/grpc/health/v1/health_pb.ts";
import { parseAgentId } from "../../src/model/ids.ts";
import type { Caller } from "../../src/model/subject.ts";
import { unary } from "../../src/server/glue/route.ts";
import { provenDoor } from "../../src/server/glue/wiring.ts";
import { completeRoutes } from "../../src/server/routes.ts";
import { bearer, callUnary, failureOf } from "./call.ts";
import { openClient, openServer, sure, tokens } from "./open-server.ts";

const { get } = SessionsService.method;

async function open(more: Parameters<typeof openServer>[1] = {}) {
  let caller: Caller | undefined;
  const opened = await openServer(
    completeRoutes([
      unary(provenDoor, get, (_request, context) => {
        ({ caller } = context);
        return Promise.resolve({});
      }),
    ]),
    more,
  );
  return {
    ...opened,
    callerOf: async (address: string, metadata?: Metadata) => {
      await callUnary(openClient(address), get, {}, metadata);
      return sure(caller);
    },
  };
}

const owner = { agent: "local", role: "admin", isAgent: false, tier: "full" };
const member = { agent: "bot", role: "member", isAgent: true, tier: "operator" };

function authorization(value: string): Metadata {
  const metadata = new Metadata();
  metadata.set("authorization", value);
  return metadata;
}

describe("who calls", () => {
  it("is the owner on the socket without a token, and nobody on TCP", async () => {
    const { socket, tcp, callerOf } = await open();
    expect(await callerOf(socket)).toEqual({ ...owner, channel: "socket" });
    expect(await failureOf(callUnary(openClient(tcp), get, {}))).toMatchObject({
      code: "UNAUTHENTICATED",
      details: "this listener needs a token: send `authorization: Bearer TOKEN`",
    });
  });

  it("is the token's agent on every listener, and never an admin", async () => {
    const { socket, tcp, callerOf } = await open();
    expect(await callerOf(socket, bearer("good"))).toEqual({ ...member, channel: "socket" });
    expect(await callerOf(tcp, bearer("good"))).toEqual({ ...member, channel: "tcp" });
    expect(await callerOf(tcp, authorization("bearer  good"))).toMatchObject(member);
  });

  it.each([
    ["a wrong token", authorization("Bearer wrong")],
    ["an empty token", authorization("Bearer ")],
    ["another scheme", authorization("Basic Z29vZA==")],
    ["no scheme", authorization("good")],
    ["an empty header", authorization("")],
    ["a token with more behind it", authorization("Bearer good more")],
    ["a good token with a blank behind it", authorization("Bearer good ")],
    ["nothing but a blank", authorization(" ")],
    ["two good tokens in one header", authorization("Bearer good, Bearer good")],
    ["a very long token", authorization(`Bearer ${"a".repeat(4000)}`)],
  ])("is refused with %s, on the socket too", async (_name, metadata) => {
    const { socket, tcp } = await open();
    for (const address of [socket, tcp])
      expect(await failureOf(callUnary(openClient(address), get, {}, metadata))).toMatchObject({
        code: "UNAUTHENTICATED",
      });
  });

  it("is never the owner by a token made for his name", async () => {
    const local = sure(parseAgentId("local"));
    const { socket } = await open({ tokens: { authenticate: () => ({ agent: local, tier: "full" }) } });
    expect(await failureOf(callUnary(openClient(socket), get, {}, bearer("any")))).toMatchObject({
      code: "UNAUTHENTICATED",
    });
  });

  it("waits for a proof that takes time, and a proof that fails is a fault inside", async () => {
    const slow = await open({ tokens: { authenticate: (token) => Promise.resolve(tokens.authenticate(token)) } });
    expect(await slow.callerOf(slow.tcp, bearer("good"))).toMatchObject(member);
    const broken = await open({
      tokens: {
        authenticate: () => {
          throw new Error("disk");
        },
      },
    });
    expect(await failureOf(callUnary(openClient(broken.tcp), get, {}, bearer("good")))).toMatchObject({
      code: "INTERNAL",
    });
  });

  it("does not matter for health", async () => {
    const { tcp } = await open();
    await callUnary(openClient(tcp), Health.method.check, {}, bearer("wrong"));
  });
});
