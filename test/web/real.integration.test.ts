import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { AnswerKind } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { RuleSource, Tier, Verdict } from "../../src/gen/sallyport/v1/common_pb.ts";
import { runCommand } from "../e2e/support/run-command.ts";
import { environmentOf, repository, type RunningSallyport, startSallyport } from "../e2e/support/start-sallyport.ts";
import { sure } from "../server/open-server.ts";
import { browserProgram, loggedInPage, openBrowser, sayWithoutBrowser } from "./support/open-browser.ts";

sayWithoutBrowser();

describe.skipIf(browserProgram === undefined)("the page of a real Sallyport", () => {
  let sallyport: RunningSallyport;
  let browser: Browser;
  let admin: SallyportClient;
  let agent: SallyportClient;
  let page: Page;
  let url: string;

  const reset = (): string =>
    execFileSync(process.execPath, [join(repository, "src/main.ts"), "web", "password", "--reset"], {
      env: { ...process.env, ...environmentOf(sallyport.home) },
      encoding: "utf8",
    }).trim();

  beforeAll(async () => {
    sallyport = await startSallyport({ settings: "web: { listen: '127.0.0.1:0' }\n" });
    url = sure(/http:\/\/127\.0\.0\.1:\d+\//.exec(sallyport.output()))[0];
    admin = sallyport.client();
    const { token } = await admin.agents.createToken({ agent: "robot", tier: Tier.FULL });
    agent = sallyport.client(token);
    browser = await openBrowser();
    page = (await loggedInPage(await browser.newContext(), url, reset())).page;
  });
  afterAll(async () => {
    await browser.close();
    await sallyport.remove();
  });

  /** Nothing is left of the question before. */
  const empty = (): Promise<void> => page.locator("article").first().waitFor({ state: "detached" });
  const armed = (): Promise<void> => page.locator('.answers [aria-disabled="false"]').first().waitFor();
  const allow = async (): Promise<void> => {
    await armed();
    await page
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
  };

  it("prints no password where nobody reads it at a terminal", () => {
    expect(sallyport.output()).toContain("sallyport web password --reset");
    expect(sallyport.output()).not.toMatch(/([a-z2-9]{5}-){5}/);
  });

  it("allows a command, which then runs, and says in the record who it was", { timeout: 180_000 }, async () => {
    const running = runCommand(agent, "echo from the page > page.txt && cat page.txt");
    await allow();
    expect(await running).toMatchObject({ stdout: "from the page\n", end: { code: 0 } });
    const { records } = await admin.audit.query({ filter: { kind: "answered" } });
    expect(JSON.parse(sure(records.at(-1)).bodyJson)).toMatchObject({ answer: "allow", channel: "web" });
  });

  it("denies with a message that the agent is told", { timeout: 180_000 }, async () => {
    await empty();
    const running = runCommand(agent, "touch nope.txt").catch((error: unknown) => error);
    await armed();
    await page.getByRole("button", { name: /^More/ }).first().click();
    await page.getByLabel("Deny, and tell the agent").fill("not in this folder");
    await page.getByRole("button", { name: "Deny with this message" }).click();
    expect(await running).toMatchObject({ code: "permission_denied", denial: { because: "not in this folder" } });
  });

  it("writes the rule that it showed, and shows it among the rules", { timeout: 180_000 }, async () => {
    await empty();
    const running = runCommand(agent, "touch always.txt");
    await armed();
    const shown = sure(await page.locator(".drafts li code").first().textContent());
    await page.getByRole("button", { name: /^Always allow/ }).click();
    expect(await running).toMatchObject({ end: { code: 0 } });
    await page.goto(`${url}#/rules`);
    await page.locator("code", { hasText: shown }).first().waitFor();
    await page.goto(`${url}#/questions`);
  });

  it("adds a rule for methods, and says what is wrong with one", { timeout: 180_000 }, async () => {
    await page.goto(`${url}#/rules`);
    await page.getByText("Add a rule", { exact: true }).click();
    const add = async (capability: string, methods: string): Promise<void> => {
      await page.getByLabel("About").selectOption(capability);
      await page.getByLabel("Matches (one pattern a line)").fill("https://methods.example/*");
      await page.getByLabel(/methods of HTTP/).fill(methods);
      await page.getByRole("button", { name: "Add the rule" }).click();
    };
    await add("shell", "post");
    await page
      .getByText(/methods/)
      .and(page.getByRole("alert"))
      .waitFor();
    await add("web_fetch", "post, DELETE");
    await page.locator("code", { hasText: "web_fetch POST or DELETE https://methods.example/*" }).waitFor();
    const { rules } = await admin.policy.listRules({ source: RuleSource.USER });
    expect(rules.filter(({ methods }) => methods.length > 0)).toMatchObject([
      {
        capability: "web_fetch",
        match: ["https://methods.example/*"],
        methods: ["POST", "DELETE"],
        effect: Verdict.DENY,
      },
    ]);
    await page.goto(`${url}#/questions`);
  });

  it("follows the output of a command and kills it", { timeout: 240_000 }, async () => {
    writeFileSync(join(sallyport.workspace, "tick.sh"), "n=0; while :; do n=$((n+1)); echo tick $n; sleep 0.2; done\n");
    const command = agent.background({
      command: { shell: "printf '\\033[31mred\\033[0m <b>x</b>\\n'; bash tick.sh" },
    });
    await allow();
    await page.goto(`${url}#/sessions`);
    await page.getByRole("button", { name: "Output" }).click();
    await page.getByText(/tick 5/).waitFor();
    expect(sure(await page.getByLabel("Output", { exact: true }).last().textContent())).toContain("red <b>x</b>\n");
    await page.getByRole("button", { name: "Kill", exact: true }).click();
    await page.getByRole("button", { name: "Kill it" }).click();
    await page.getByText(/signal 15|exit \d+/).waitFor();
    await command;
    await page.goto(`${url}#/questions`);
  });

  it("shows the output of a command that its caller waits for, and how it ended", { timeout: 240_000 }, async () => {
    await empty();
    writeFileSync(
      join(sallyport.workspace, "wait.sh"),
      "n=0; until [ -e go ]; do n=$((n+1)); echo wait $n; sleep 0.2; done\n",
    );
    const running = runCommand(agent, "echo first words; bash wait.sh; echo last words; exit 3");
    await allow();
    await page.goto(`${url}#/sessions`);
    const row = page.getByRole("listitem").filter({ hasText: "first words" });
    await row.getByRole("button", { name: "Output" }).click();
    await row.getByText(/wait 5/).waitFor();
    expect(await row.getByLabel("Output", { exact: true }).last().textContent()).toMatch(/^first words\nwait 1\n/);
    writeFileSync(join(sallyport.workspace, "go"), "");
    await row.getByText("last words").last().waitFor();
    await row.getByText("exit 3").waitFor();
    expect(await running).toMatchObject({ end: { code: 3 } });
    await page.goto(`${url}#/questions`);
  });

  it("gives one answer where two surfaces answer at the same instant", { timeout: 240_000 }, async () => {
    for (let round = 0; round < 5; round += 1) {
      const asked = agent.sessions.authorize({ capability: "mcp", name: `server/tool${round}` }).then(
        () => "allowed",
        () => "denied",
      );
      await page.locator("article.card h2", { hasText: `tool${round}` }).waitFor();
      await armed();
      const { questions } = await admin.approvals.list({});
      const id = sure(questions.find(({ title }) => title.includes(`tool${round}`))).id;
      const [, other] = await Promise.all([
        page.keyboard.press("a"),
        admin.approvals.answer({ questionId: id, answer: AnswerKind.DENY }).then(
          () => "counted",
          () => "late",
        ),
      ]);
      expect(await asked).toBe(other === "counted" ? "denied" : "allowed");
      await page
        .locator(".settled strong", { hasText: other === "counted" ? "Denied" : "Allowed" })
        .last()
        .waitFor();
      await page.locator("article").first().waitFor({ state: "detached" });
    }
  });

  it("logs a browser out whose password was replaced", { timeout: 120_000 }, async () => {
    reset();
    await page.getByLabel("Password").waitFor();
  });
});
