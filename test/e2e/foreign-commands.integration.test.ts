import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import type { ExecCall } from "../../src/clients/client/exec-call.ts";
import { SallyportError } from "../../src/clients/client/sallyport-error.ts";
import { Access, Lasts, Mode, Tier } from "../../src/gen/sallyport/v1/common_pb.ts";
import { allow, scriptedApprover, type ScriptedApprover } from "./support/scripted-approver.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

/** What an agent names a process by. */
interface Named {
  readonly sessionId: string;
  readonly processId: string;
}

/** Everything that one call can do to a process. Each gives what it learned. */
const attacks: Readonly<Record<string, (client: SallyportClient, named: Named) => Promise<unknown>>> = {
  attach: (client, named) => first(client.commands.attach({ ...named, offset: 0n })),
  logs: (client, named) => first(client.commands.attach({ ...named, offset: 0n, untilNow: true })),
  "send input": (client, named) => client.commands.sendInput({ ...named, data: Buffer.from("evil\n") }),
  "close its input": (client, named) => client.commands.sendInput({ ...named, close: true }),
  signal: (client, named) => client.commands.signal({ ...named, signal: 9 }),
  resize: (client, named) => client.commands.resize({ ...named, size: { columns: 7, rows: 7 } }),
  stop: (client, named) => client.commands.stop(named),
};

async function first(stream: AsyncIterable<unknown>): Promise<unknown> {
  for await (const event of stream) return event;
  return "nothing";
}

/** The code of the refusal; what came instead where there was none. */
async function refusal(attack: Promise<unknown>): Promise<unknown> {
  try {
    return { came: await attack };
  } catch (error) {
    return error instanceof SallyportError ? error.code : error;
  }
}

const script = "while read -r line; do echo got $line $(stty size 2>/dev/null); done; echo end";

describe("a command of another agent", { timeout: 240_000 }, () => {
  let sallyport: RunningSallyport;
  let approver: ScriptedApprover;
  let owner: SallyportClient;
  let thief: SallyportClient;
  let admin: SallyportClient;
  let owned = "";
  let own = "";

  beforeAll(async () => {
    sallyport = await startSallyport();
    admin = sallyport.client();
    approver = scriptedApprover(admin, () => allow);
    const clientOf = async (agent: string): Promise<SallyportClient> =>
      sallyport.client((await admin.agents.createToken({ agent, tier: Tier.FULL })).token);
    owner = await clientOf("owner");
    thief = await clientOf("thief");
    owned = (await owner.sessions.open({ key: "k" })).session?.id ?? "";
    // The same name: it leads to a session of its own all the same.
    own = (await thief.sessions.open({ key: "k" })).session?.id ?? "";
    expect(own).not.toBe(owned);
  });
  afterAll(async () => {
    await approver.stop();
    await sallyport.remove();
  });

  /** Tries every way in which the thief may name the process. */
  async function attacked(processId: string): Promise<void> {
    for (const [name, attack] of Object.entries(attacks))
      for (const sessionId of [owned, own, ""])
        expect([name, sessionId === owned, await refusal(attack(thief, { sessionId, processId }))]).toEqual([
          name,
          sessionId === owned,
          "not_found",
        ]);
    // A thief learns no more of what is another's than of what is nobody's.
    const made = `${processId.slice(0, -4)}AAAA`;
    for (const attack of Object.values(attacks)) {
      const real = await attack(thief, { sessionId: owned, processId }).catch(String);
      expect(await attack(thief, { sessionId: owned, processId: made }).catch(String)).toBe(real);
    }
  }

  it("that its caller waits for is neither followed nor touched", async () => {
    const call: ExecCall = owner.exec({ command: { shell: script }, sessionId: owned, stdin: true });
    const events = call[Symbol.asyncIterator]();
    const started = await events.next();
    const processId = started.value?.kind === "started" ? started.value.entryId : "";
    expect(processId).not.toBe("");
    await attacked(processId);
    // The owner itself and an admin do reach it.
    await call.writeStdin(Buffer.from("mine\n"));
    expect(await events.next()).toMatchObject({ value: { kind: "stdout", data: Buffer.from("got mine\n") } });
    for (const client of [owner, admin]) {
      const shown = await attacks["attach"]?.(client, { sessionId: owned, processId });
      expect(shown).toMatchObject({ event: { case: "stdout", value: Buffer.from("got mine\n") } });
    }
    call.closeStdin();
    expect(await events.next()).toMatchObject({ value: { kind: "stdout", data: Buffer.from("end\n") } });
    expect(await events.next()).toMatchObject({ value: { kind: "exit", code: 0 } });
  });

  it("in the background is neither followed nor touched", async () => {
    const { processId } = await owner.background({ command: { shell: script }, sessionId: owned, stdin: true });
    await attacked(processId);
    for (const sessionId of [own, ""])
      expect(await thief.commands.list({ sessionId })).toMatchObject({ processes: [] });
    expect(await refusal(thief.commands.list({ sessionId: owned }))).toBe("not_found");
    expect(await refusal(first(thief.commands.watch({ sessionId: owned })))).toBe("not_found");
    await owner.commands.sendInput({ sessionId: owned, processId, data: Buffer.from("mine\n"), close: true });
    let text = "";
    let code: number | undefined;
    for await (const { event } of owner.commands.attach({ sessionId: owned, processId, offset: 0n })) {
      if (event.case === "stdout") text += Buffer.from(event.value).toString();
      if (event.case === "exit") code = event.value.status.value;
    }
    expect([text, code]).toEqual(["got mine\nend\n", 0]);
    // Ended, it is still nobody else's.
    await attacked(processId);
  });

  it("runs in a session that another agent neither sees, changes, ends nor uses", async () => {
    const tries: readonly Promise<unknown>[] = [
      thief.sessions.get({ sessionId: owned }),
      thief.sessions.close({ sessionId: owned }),
      thief.sessions.update({ sessionId: owned, mode: Mode.ALLOW_ALL }),
      thief.sessions.update({
        sessionId: owned,
        addScopes: [{ root: "/srv", access: Access.READ_WRITE, lasts: Lasts.SESSION }],
      }),
      thief.policy.listRules({ sessionId: owned }),
      first(thief.exec({ command: { shell: "ls" }, sessionId: owned })),
      thief.background({ command: { shell: "ls" }, sessionId: owned }),
      first(thief.files.read({ sessionId: owned, path: sallyport.workspace })),
      thief.fetch.get({ spec: { sessionId: owned, url: "http://127.0.0.1/" } }),
    ];
    for (const code of await Promise.all(tries.map(refusal)))
      expect(["not_found", "permission_denied"]).toContain(code);
    const { sessions } = await thief.sessions.list({});
    expect(sessions.map(({ id }) => id)).not.toContain(owned);
  });

  it("leaves no question and no record to another agent", async () => {
    const { records } = await thief.audit.query({ filter: {} });
    expect(records.filter(({ agent }) => agent !== "thief")).toEqual([]);
    for (const filter of [{ sessionId: owned }, { agent: "owner" }])
      expect(await refusal(thief.audit.query({ filter }).then((came) => came.records.length))).toSatisfy(
        (seen: unknown) =>
          seen === "permission_denied" || seen === "not_found" || JSON.stringify(seen) === '{"came":0}',
      );
    expect(await thief.approvals.list({})).toMatchObject({ questions: [] });
  });
});
