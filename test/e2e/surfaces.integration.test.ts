import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { AnswerKind, type Question } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { Tier } from "../../src/gen/sallyport/v1/common_pb.ts";
import { HealthCheckResponse_ServingStatus as Serving } from "../../src/gen/grpc/health/v1/health_pb.ts";
import { type BotApiServer, type ShownMessage, startBotApi } from "../telegram/support/bot-api-server.ts";
import { type Arrived, macOf, type Receiver, secret, startReceiver } from "../webhook/support/receiver.ts";
import { environmentOf, repository, type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

const chat = -100_200;

interface House {
  readonly bot: BotApiServer;
  readonly receiver: Receiver;
  readonly sallyport: RunningSallyport;
  readonly client: SallyportClient;
  /** Writes the settings anew, with these people. */
  readonly settings: (admins: string) => void;
  readonly restart: (how: "stop" | "kill") => Promise<House>;
  /** Asks for a folder; the promise is the request. */
  readonly ask: (name: string, by?: SallyportClient) => Promise<string>;
  readonly shown: (name: string) => Promise<ShownMessage>;
  readonly told: (name: string) => Promise<Arrived>;
  readonly tap: (message: ShownMessage, label: string) => Promise<string>;
  readonly post: (questionId: string, answer: string) => Promise<number>;
}

async function build(): Promise<House> {
  const bot = await startBotApi();
  const receiver = await startReceiver();
  const home = realpathSync(mkdtempSync(join(tmpdir(), "sp-")));
  return house(home, bot, receiver);
}

async function house(home: string, bot: BotApiServer, receiver: Receiver): Promise<House> {
  const folder = join(home, "config", "sallyport");
  const file = join(folder, "sallyport.yaml");
  const settings = (admins: string): void =>
    writeFileSync(
      file,
      // No command is run here, so no engine needs to be looked at.
      `runtime: bubblewrap\nsandboxes: { spare: false }\ntelegram: { chats: [${chat}], admins: ${admins}, api_root: "${bot.root}" }\nwebhook: { url: "${receiver.url}", listen: { address: "127.0.0.1:0" }, admins: [u1] }\n`,
    );
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".env"), `TELEGRAM_BOT_TOKEN=${bot.token}\nSALLYPORT_WEBHOOK_SECRET=${secret}\n`);
  chmodSync(join(folder, ".env"), 0o600);
  settings("[7]");
  const sallyport = await startSallyport({ home });
  onTestFinished(() => sallyport.remove());
  const client = sallyport.client();
  const listens = (): string | undefined =>
    /"address":"(127\.0\.0\.1:\d+)","tls":false,"msg":"the webhook takes answers"/.exec(sallyport.output())?.[1];
  return {
    bot,
    receiver,
    sallyport,
    client,
    settings,
    async restart(how) {
      await sallyport[how]();
      return house(home, bot, receiver);
    },
    ask: (name, by = client) =>
      by.files.makeDirectory({ path: join(sallyport.workspace, name) }).then(
        () => "made",
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      ),
    shown: (name) => bot.until(() => bot.messages.findLast((one) => one.text.includes(name) && one.buttons.length > 0)),
    told: (name) =>
      receiver.until(() => receiver.arrived.find((one) => one.kind === "opened" && one.body.includes(name))),
    async tap(message, label) {
      const data = message.buttons.find(({ text }) => text === label)?.callback_data ?? "";
      const id = bot.tap(message.chat, message.id, data, 7);
      return (await bot.until(() => bot.notices.get(id))).text;
    },
    async post(questionId, answer) {
      const body = JSON.stringify({ person: { id: "u1", name: "Ann" }, answer: { questionId, answer } });
      const time = Math.floor(Date.now() / 1000);
      const headers = {
        "content-type": "application/json",
        "sallyport-signature": `t=${time},v1=${macOf("answer", time, body)}`,
      };
      const response = await fetch(`http://${listens() ?? ""}/v1/answers`, { method: "POST", headers, body });
      await response.arrayBuffer();
      return response.status;
    },
  };
}

async function answersOf(client: SallyportClient): Promise<Readonly<Record<string, string>>[]> {
  const { records } = await client.audit.query({ limit: 1000 });
  return records
    .filter(({ kind }) => kind === "answered")
    .map(({ bodyJson }) => JSON.parse(bodyJson) as Record<string, string>);
}

/** Resolves once nobody is asked about it any more. */
async function oneOpen(client: SallyportClient): Promise<Question> {
  for await (const { event } of client.approvals.watch({})) if (event.case === "opened") return event.value;
  throw new Error("the watch ended");
}

// A start alone takes half a minute on a machine that is busy.
describe("surfaces of a running Sallyport", { timeout: 300_000 }, () => {
  it("answer one question each, recorded with person and channel, and tell each other", async () => {
    const { bot, receiver, sallyport, client, ask, shown, told, tap, post } = await build();
    const first = ask("by-telegram");
    const message = await shown("by-telegram");
    await told("by-telegram");
    expect(await tap(message, "Allow")).toBe("Done.");
    expect(await first).toBe("made");
    await bot.until(() => message.text.startsWith("allow: telegram-7 on telegram"));
    await receiver.until(() =>
      receiver.arrived.find(({ kind, body }) => kind === "closed" && body.includes("telegram-7")),
    );

    const second = ask("by-webhook");
    const opened = await told("by-webhook");
    const other = await shown("by-webhook");
    expect(await post(opened.id, "ANSWER_KIND_DENY")).toBe(200);
    expect(await second).not.toBe("made");
    await bot.until(() => other.text.startsWith("deny: webhook-u1 on webhook"));

    expect(await answersOf(client)).toMatchObject([
      { answer: "allow", by: "telegram-7", channel: "telegram" },
      { answer: "deny", by: "webhook-u1", channel: "webhook" },
    ]);
    const { statuses } = await client.health.list({});
    expect(statuses["sallyport.telegram"]?.status).toBe(Serving.SERVING);
    expect(statuses["sallyport.webhook"]?.status).toBe(Serving.SERVING);
    const log = sallyport.output();
    expect(log).toContain("a surface is connected");
    for (const hidden of [bot.token, secret]) expect(log).not.toContain(hidden);
  });

  it("let another command run from Telegram once it was shown what that does", async () => {
    const { bot, client, sallyport, shown, tap } = await build();
    const opened = await client.sessions.open({ workspace: sallyport.workspace, key: "edit" });
    const output = (async () => {
      let text = "";
      const spec = { command: { shell: "touch asked-for" }, sessionId: opened.session?.id ?? "" };
      for await (const event of client.exec(spec))
        if (event.kind === "stdout") text += Buffer.from(event.data).toString();
      return text;
    })();
    const message = await shown("touch asked-for");
    const refused = bot.write(chat, "/edit sudo touch asked-for", 7, { reply_to_message: { message_id: message.id } });
    const told = await bot.until(() => bot.messages.find(({ replyTo }) => replyTo === refused));
    expect(told.text).toMatch(/^Nothing was done:\n.*sudo/);
    const written = bot.write(chat, "/edit printf edited; touch other", 7, {
      reply_to_message: { message_id: message.id },
    });
    const look = await bot.until(() => bot.messages.find(({ replyTo }) => replyTo === written));
    expect(look.text).toContain("printf edited; touch other");
    expect(await tap(look, "Allow this")).toBe("Done.");
    expect(await output).toBe("edited");
    expect(await answersOf(client)).toMatchObject([
      { answer: "edit-and-allow", edited: "printf edited; touch other", by: "telegram-7" },
    ]);
  });

  it("refuse an answer of an admin who is none any more, or whose settings are broken, and the question stays", async () => {
    const { settings, ask, shown, tap, client } = await build();
    const request = ask("pending");
    const message = await shown("pending");
    settings("[8]");
    expect(await tap(message, "Allow")).toContain("Only an admin answers");
    settings("[7");
    expect(await tap(message, "Allow")).toContain("not answered in this chat");
    expect((await client.approvals.list({})).questions).toHaveLength(1);
    settings("[7]");
    expect(await tap(message, "Allow")).toBe("Done.");
    expect(await request).toBe("made");
  });

  it("ask again after a crash, and buttons from before mean nothing", async () => {
    const before = await build();
    const lost = before.ask("over-crash");
    const old = await before.shown("over-crash");
    const stale = old.buttons.find(({ text }) => text === "Allow")?.callback_data ?? "";
    const seen = before.bot.messages.length;
    const after = await before.restart("kill");
    expect(await lost).not.toBe("made");
    const { bot, client } = after;
    const message = await bot.until(() =>
      bot.messages.slice(seen).find((one) => one.text.includes("over-crash") && one.buttons.length > 0),
    );
    expect(message.text).toContain("Asked before a restart");
    const id = bot.tap(chat, old.id, stale, 7);
    expect((await bot.until(() => bot.notices.get(id))).text).toContain("no longer valid");
    expect((await client.approvals.list({})).questions).toHaveLength(1);
    expect(await after.tap(message, "Allow")).toBe("Done.");
    // Whoever asked has to ask again to use the answer, and nobody is asked once more.
    expect(await after.ask("over-crash")).toBe("made");
  });

  it("leave no buttons behind when Sallyport stops", async () => {
    const { bot, sallyport, ask, shown } = await build();
    const request = ask("over-stop");
    const message = await shown("over-stop");
    expect(await sallyport.stop()).toBe(0);
    expect(await request).not.toBe("made");
    expect(message.buttons).toEqual([]);
    expect(bot.messages).toHaveLength(1);
  });

  it("hold up nothing where both are away", async () => {
    const bot = await startBotApi();
    const receiver = await startReceiver();
    await bot.close();
    await receiver.close();
    const home = realpathSync(mkdtempSync(join(tmpdir(), "sp-")));
    const { client, ask, sallyport } = await house(home, bot, receiver);
    const request = ask("without-them");
    const { id } = await oneOpen(client);
    const { statuses } = await client.health.list({});
    expect(statuses["sallyport.telegram"]?.status).toBe(Serving.NOT_SERVING);
    expect(statuses["sallyport.webhook"]?.status).toBe(Serving.NOT_SERVING);
    expect(statuses[""]?.status).toBe(Serving.SERVING);
    const env = { ...process.env, ...environmentOf(home), SALLYPORT_SOCKET: sallyport.socket };
    const doctor = spawnSync(process.execPath, [join(repository, "src/main.ts"), "doctor"], { env, encoding: "utf8" });
    expect(doctor.status).toBe(1);
    for (const name of ["telegram", "webhook"])
      expect(doctor.stdout).toContain(`WRONG ${name}: not connected; the log says why`);
    await client.approvals.answer({ questionId: id, answer: AnswerKind.ALLOW });
    expect(await request).toBe("made");
  });

  it("answer at the same instant 300 times: one counts, and all three say so", async () => {
    const { bot, client, sallyport, ask, shown, told, tap, post } = await build();
    const rounds = 300;
    const agents = await Promise.all(
      Array.from({ length: 15 }, async (_, at) => {
        const { token } = await client.agents.createToken({ agent: `agent-${at}`, tier: Tier.BUILDER });
        return sallyport.client(token);
      }),
    );
    const wins = { terminal: 0, telegram: 0, webhook: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const name = `race-${round}-`;
      const request = ask(name, agents[round % agents.length]);
      const [message, opened] = await Promise.all([shown(name), told(name)]);
      const terminal = (): Promise<boolean> =>
        client.approvals.answer({ questionId: opened.id, answer: AnswerKind.DENY }).then(
          () => true,
          () => false,
        );
      const telegram = async (): Promise<boolean> => (await tap(message, "Allow")) === "Done.";
      const webhook = async (): Promise<boolean> => (await post(opened.id, "ANSWER_KIND_DENY")) === 200;
      // Each goes first in its turn, for they do not take the same way in.
      const order = [terminal, telegram, webhook];
      const turned = [...order.slice(round % 3), ...order.slice(0, round % 3)];
      const ended = await Promise.all(turned.map((answer) => answer()));
      const won = turned.filter((_, at) => ended[at] === true);
      expect(won).toHaveLength(1);
      if (won[0] === terminal) wins.terminal += 1;
      else if (won[0] === telegram) wins.telegram += 1;
      else wins.webhook += 1;
      expect((await request) === "made").toBe(won[0] === telegram);
      const words =
        won[0] === telegram ? "allow: telegram-7" : won[0] === terminal ? "deny: local" : "deny: webhook-u1";
      await bot.until(() => message.text.startsWith(words));
    }
    const answers = await answersOf(client);
    expect(new Set(answers.map((answer) => answer["question"])).size).toBe(rounds);
    expect(answers).toHaveLength(rounds);
    expect(answers.filter((answer) => answer["channel"] === "telegram")).toHaveLength(wins.telegram);
    expect(answers.filter((answer) => answer["channel"] === "webhook")).toHaveLength(wins.webhook);
  }, 600_000);

  it("are said by the log to nobody: what is asked and answered shows no secret of the `.env`", async () => {
    const { bot, ask, shown, tap } = await build();
    const request = ask(`with-${bot.token}`);
    const message = await shown("with-");
    expect(message.text).not.toContain(bot.token);
    expect(await tap(message, "Deny")).toBe("Done.");
    await request;
    expect(bot.messages.every(({ text }) => !text.includes(bot.token))).toBe(true);
  });
});
