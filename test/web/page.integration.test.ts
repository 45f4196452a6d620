import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { OpenQuestion } from "../../src/server/ports/people.ts";
import { testCertificate, testKey } from "../egress/support/certificates.ts";
import { sure, temporaryFolder } from "../server/open-server.ts";
import { browserProgram, loggedInPage, openBrowser, sayWithoutBrowser } from "./support/open-browser.ts";
import { openWeb, type OpenWeb, password } from "./support/open-web.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Set to look at what the tests see. */
const shots = process.env["SALLYPORT_SCREENSHOTS"];

/** Every page, with something that is on it once it is there. */
const pages = {
  questions: "2 questions",
  // The first that asks for rules has a session then.
  rules: "npm publish *",
  sessions: "Folders",
  audit: "make a token",
  "audit/AAAAAAAAAAAAAAAAAAAAAA": "bot, record 1",
  agents: "Ceiling",
  health: "Sallyport as a whole",
} as const;

sayWithoutBrowser();

describe.skipIf(browserProgram === undefined)("the page in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  async function open(
    options: Parameters<Browser["newContext"]>[0] = {},
  ): Promise<OpenWeb & { readonly page: Page; readonly context: BrowserContext; readonly faults: readonly string[] }> {
    const served = await openWeb();
    const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options });
    onTestFinished(() => context.close());
    const { page, faults } = await loggedInPage(context, served.url, password);
    return { ...served, page, context, faults };
  }

  async function shoot(page: Page, name: string): Promise<void> {
    if (shots === undefined) return;
    mkdirSync(shots, { recursive: true });
    await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
  }

  /** Rules of WCAG 2.2 AA that axe-core finds broken, with where. By a debugger's door: the page's own policy lets no foreign script in. */
  async function barriers(page: Page): Promise<string[]> {
    const found: unknown = await page.evaluate(`(() => { ${axe}; return window.axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }); })()`);
    const { violations } = found as {
      violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
    };
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join("\n")}`,
    );
  }

  const armed = (page: Page) => page.locator('.answers [aria-disabled="false"]').first().waitFor();
  const cardOf = (page: Page, { id }: OpenQuestion) => page.locator(`#question-${id}`);

  it("shows a question at once, and gives the answer that was pressed, once", async () => {
    const { page, queue, faults } = await open();
    const asked = queue.ask({ title: "Run npm install in /work", marks: [{ start: 7, end: 18 }] });
    const card = cardOf(page, asked);
    await card.waitFor();
    await armed(page);
    expect(await card.locator("mark").allTextContents()).toEqual(["npm install"]);
    await card.getByRole("button", { name: /^Allow/ }).click();
    await page.getByText("Allowed by local on web").waitFor();
    expect(queue.given).toMatchObject([{ id: asked.id, kind: "allow", by: "local on web", waiting: 1 }]);
    expect(faults).toEqual([]);
  });

  it("gives every further answer from its menu, and offers none that the question does not", async () => {
    const { page, queue } = await open();
    const answered = async (press: (page: Page) => Promise<void>): Promise<unknown> => {
      const asked = queue.ask({});
      await armed(page);
      await cardOf(page, asked).getByRole("button", { name: /^More/ }).click();
      await press(page);
      await page.locator(`#question-${asked.id}`).waitFor({ state: "detached" });
      return queue.given.at(-1);
    };
    const named = (name: string) => (on: Page) => on.getByRole("button", { name, exact: true }).click();
    expect(await answered(named("Allow for this session"))).toMatchObject({ kind: "allow-session" });
    expect(await answered(named("Allow for 15 minutes"))).toMatchObject({ kind: "allow-for" });
    expect(await answered(named("Always deny"))).toMatchObject({ kind: "always-deny" });
    expect(
      await answered(async (on) => {
        await on.getByLabel("Deny, and tell the agent").fill("use pnpm");
        await on.getByRole("button", { name: "Deny with this message" }).click();
      }),
    ).toMatchObject({ kind: "deny", message: "use pnpm" });
    expect(
      await answered(async (on) => {
        await on.getByLabel("Edit, and allow what you made of it").fill("npm ci --ignore-scripts");
        await on.getByRole("button", { name: "See what it would do" }).click();
        await on.getByRole("heading", { name: "Run npm ci --ignore-scripts" }).waitFor();
        await armed(on);
        await on.getByRole("button", { name: "Allow this instead" }).click();
      }),
    ).toMatchObject({
      kind: "edit-and-allow",
      edited: "npm ci --ignore-scripts",
      plan: "plan of npm ci --ignore-scripts",
    });
    const plain = cardOf(page, queue.ask({ answers: ["allow", "deny"], editable: "" }));
    await plain.getByRole("button", { name: /^More/ }).click();
    expect(await plain.getByRole("button").allTextContents()).toEqual([
      "Allow a",
      "Deny d",
      "More m",
      "Deny with this message",
    ]);
  });

  it("is answered by keys alone, one card at a time", async () => {
    const { page, queue } = await open();
    const [first, second, third] = [queue.ask({}), queue.ask({}), queue.ask({})];
    await cardOf(page, third).waitFor();
    await armed(page);
    await page.keyboard.press("j");
    await page.keyboard.press("d");
    await page.getByText("Denied by local on web").waitFor();
    await page.keyboard.press("k");
    await page.keyboard.press("Shift+A");
    await page.getByText("Always allowed by local on web").waitFor();
    expect(queue.given.map(({ id, kind }) => [id, kind])).toEqual([
      [second.id, "deny"],
      [first.id, "always-allow"],
    ]);
  });

  it("takes no key at once for the card to which the keyboard went because another one was withdrawn", async () => {
    const { page, queue } = await open();
    const [first, second] = [queue.ask({}), queue.ask({})];
    await cardOf(page, second).waitFor();
    await armed(page);
    // The key comes in the very moment in which the other card is outlined.
    await page.evaluate(`new MutationObserver((_changes, observer) => {
      if (document.querySelector(".settled") === null) return;
      observer.disconnect();
      dispatchEvent(new KeyboardEvent("keydown", { key: "a" }));
    }).observe(document.body, { childList: true, subtree: true })`);
    queue.close(first.id, undefined, "the caller hung up");
    await page.locator(".settled").waitFor();
    await armed(page);
    await page.keyboard.press("d");
    await page.getByText("Denied by local on web").waitFor();
    expect(queue.given.map(({ id, kind }) => [id, kind])).toEqual([[second.id, "deny"]]);
  });

  it("unfolds before it allows, and says how long the text is", async () => {
    const { page, queue } = await open();
    const lines = Array.from({ length: 5000 }, (_, at) => `| echo ${at} ${"x".repeat(190)}`);
    const asked = queue.ask({
      title: "Run a long script in /work",
      detail: `bash\n${lines.join("\n")}\nfolder\n| /work`,
    });
    const card = cardOf(page, asked);
    await card.getByRole("button", { name: /Show the rest: 4,99\d more lines, 1,00\d,\d{3} characters/ }).waitFor();
    await armed(page);
    await shoot(page, "folded");
    await card.getByRole("button", { name: /^Allow/ }).dblclick();
    await card.getByText("echo 4999").waitFor();
    await armed(page);
    expect(queue.given).toEqual([]);
    await card.getByRole("button", { name: /^Allow/ }).click();
    await page.getByText("Allowed by local on web").waitFor();
    expect(queue.given).toHaveLength(1);
  });

  it("takes hostile text for text", async () => {
    const { page, queue, faults } = await open();
    const text = [
      `<img src=x onerror="window.taken=1"><script>window.taken=1</script>`,
      "\u001b[2J\u001b[31mred\u0007 \u009b31m",
      "safe \u202e txt.exe \u2066 \u200b\u200d\ufeff end",
      `a${" ".repeat(4000)}; rm -rf /`,
      "</pre></article><button>Allow</button>",
      "javascript:alert(1) {{constructor.constructor('window.taken=1')()}}",
    ].join("\n| ");
    const hostile = { title: text.replaceAll("\n", " "), detail: `bash\n| ${text}`, editable: "rm \u202e-rf x" };
    const asked = queue.ask({ ...hostile, suspicious: true });
    const card = cardOf(page, asked);
    await card.waitFor();
    await armed(page);
    expect(await page.evaluate("window.taken")).toBeUndefined();
    expect(await card.locator("img, script").count()).toBe(0);
    expect(await card.getByRole("button", { name: "Allow", exact: true }).count()).toBe(0);
    await card.getByRole("button", { name: /Show the rest/ }).click();
    const shown = sure(await card.locator(".parts").textContent());
    expect(shown).toContain("\\u{202e}");
    expect(shown).toContain("\\u{1b}");
    expect(shown).toContain("4000 blanks");
    // eslint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/);
    await card.getByRole("button", { name: /^More/ }).click();
    await card.getByText("It holds characters that this field does not show").waitFor();
    const box = sure(await card.boundingBox());
    expect(box.width).toBeLessThanOrEqual(1100);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await shoot(page, "hostile");
    expect(faults).toEqual([]);
  });

  it("shows that somebody else was first, on two pages at once", async () => {
    const { page, queue, context, url } = await open();
    const other = (await loggedInPage(await browser.newContext(), url, password)).page;
    const asked = queue.ask({});
    for (const each of [page, other]) {
      await cardOf(each, asked).waitFor();
      await armed(each);
    }
    await Promise.all([page, other].map((each) => each.keyboard.press(each === page ? "a" : "d")));
    await Promise.all([page, other].map((each) => each.getByText(/(Allowed|Denied) by local on web/).waitFor()));
    expect(queue.given).toHaveLength(1);
    const [left, right] = await Promise.all([page, other].map((each) => each.locator(".settled strong").textContent()));
    expect(left).toBe(right);
    const outside = queue.ask({});
    await cardOf(page, outside).waitFor();
    queue.close(outside.id, "deny", "anna on telegram");
    await page.getByText("Denied by anna on telegram").waitFor();
    await other.context().close();
    expect(context.pages()).toHaveLength(1);
  });

  it("answers what belongs together at once, and only what was listed", async () => {
    const { page, queue } = await open();
    const [first, second] = [queue.ask({ group: "g" }), queue.ask({ group: "g", title: "Run npm test in /work" })];
    await page.getByText("2 questions").waitFor();
    await page.getByRole("button", { name: "Answer all at once" }).click();
    const later = queue.ask({ group: "g", title: "Run rm -rf / in /work" });
    await cardOf(page, later).waitFor();
    await armed(page);
    await shoot(page, "group");
    await page.getByRole("button", { name: "Allow all 2" }).click();
    await page.getByText("Allowed by local on web").first().waitFor();
    expect(queue.given).toMatchObject([{ id: first.id, also: [second.id], kind: "allow" }]);
    await cardOf(page, later).waitFor();
  });

  it("keeps what a person typed when another question comes or goes", async () => {
    const { page, queue } = await open();
    const gone = queue.ask({ group: "g" });
    const asked = queue.ask({ group: "g" });
    const card = cardOf(page, asked);
    await card.getByRole("button", { name: /^More/ }).click();
    await card.getByLabel("Deny, and tell the agent").fill("half a sent");
    queue.close(gone.id, "deny", "anna on telegram");
    await page.locator(".settled").waitFor();
    await page.locator(".settled").waitFor({ state: "detached" });
    const late = cardOf(page, queue.ask({ group: "g" }));
    await late.waitFor();
    expect(await card.getByLabel("Deny, and tell the agent").inputValue()).toBe("half a sent");
  });

  it("shows nothing to allow where what was edited is refused or was changed since it was shown", async () => {
    const { page, queue } = await open();
    const card = cardOf(page, queue.ask({}));
    await armed(page);
    await card.getByRole("button", { name: /^More/ }).click();
    const field = card.getByLabel("Edit, and allow what you made of it");
    await field.fill("sudo \u202els\u2800");
    await card.getByRole("button", { name: "See what it would do" }).click();
    // The reason repeats what was typed, which may be an agent's.
    await card.getByText("run sudo \\u{202e}ls\\u{2800}: nothing lifts it").waitFor();
    await field.fill("ls");
    await card.getByRole("button", { name: "See what it would do" }).click();
    await card.getByRole("button", { name: "Allow this instead" }).waitFor();
    await field.fill("ls -l");
    await card.getByRole("button", { name: "See what it would do" }).waitFor();
    expect(queue.given).toEqual([]);
  });

  it("works in ten tabs of one browser at once, and goes on where the first one is closed", async () => {
    const { page, queue, context, url } = await open();
    const tabs = [page];
    for (let at = 1; at < 10; at += 1) {
      const tab = await context.newPage();
      await tab.goto(`${url}#/audit`);
      tabs.push(tab);
    }
    // Each reads the record, though not all of them can follow it at a time.
    for (const tab of tabs.slice(1)) await tab.getByText("No records.").waitFor();
    await sure(tabs[9]).getByText("Waits: this browser follows 3 outputs or records already.").waitFor();
    const asked = queue.ask({});
    for (const tab of tabs.slice(1)) await tab.goto(`${url}#/questions`);
    for (const tab of tabs) await cardOf(tab, asked).waitFor();
    const last = sure(tabs.at(-1));
    await armed(last);
    await cardOf(last, asked)
      .getByRole("button", { name: /^Allow a/ })
      .click();
    for (const tab of tabs) await tab.getByText("Allowed by local on web").waitFor();
    expect(queue.given).toHaveLength(1);
    await page.close();
    const next = queue.ask({ title: "Run another in /work" });
    for (const tab of tabs.slice(1)) await cardOf(tab, next).waitFor();
    const late = await context.newPage();
    await late.goto(url);
    await cardOf(late, next).waitFor();
    // One of them logs out: all are at the login, and all are back when one of them logs in.
    await late.getByRole("button", { name: "Log out" }).click();
    await late.getByRole("button", { name: "This browser" }).click();
    for (const tab of [...tabs.slice(1), late]) await tab.getByLabel("Password").waitFor();
    await last.getByLabel("Password").fill(password);
    await last.getByRole("button", { name: "Log in" }).click();
    for (const tab of [...tabs.slice(1), late]) await cardOf(tab, next).waitFor();
  }, 240_000);

  it("tells the desktop of a question where nobody looks at any tab, once, and takes it back", async () => {
    const { page, queue, context, url } = await open({ permissions: ["notifications"] });
    await context.addInitScript(`
      window.told = [];
      // The browser's own, with a note of what it was made with.
      window.Notification = class extends Notification {
        constructor(title, options) {
          super(title, options);
          this.entry = { title: this.title, body: this.body, tag: this.tag, icon: this.icon, open: true };
          window.told.push(this.entry);
        }
        close() { super.close(); this.entry.open = false; }
      };
      let seen = "visible";
      Object.defineProperty(document, "visibilityState", { get: () => seen });
      window.look = (now) => { seen = now; document.dispatchEvent(new Event("visibilitychange")); };
    `);
    await page.reload();
    const other = await context.newPage();
    await other.goto(url);
    const told = async (tab: Page): Promise<unknown[]> => tab.evaluate("window.told");
    for (const tab of [page, other]) await cardOf(tab, queue.ask({ title: "seen" })).waitFor();
    await page.evaluate("window.look('hidden')");
    for (const tab of [page, other]) await cardOf(tab, queue.ask({ title: "seen by the other" })).waitFor();
    await other.evaluate("window.look('hidden')");
    const asked = queue.ask({ title: "Run \u202e in /work" });
    const one = {
      title: "bot asks",
      body: String.raw`Run \u{202e} in /work`,
      tag: asked.id,
      icon: `${url}icon.svg`,
      open: true,
    };
    await expect.poll(async () => [...(await told(page)), ...(await told(other))]).toEqual([one]);
    queue.close(asked.id, "deny", "anna on telegram");
    await expect.poll(async () => [...(await told(page)), ...(await told(other))]).toEqual([{ ...one, open: false }]);
  });

  it("is served to other machines over TLS alone, with a cookie that no plain connection is sent", async () => {
    const folder = temporaryFolder();
    const tls = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
    writeFileSync(tls.certFile, testCertificate);
    writeFileSync(tls.keyFile, testKey);
    const listen = { host: "0.0.0.0", port: 0, exposed: true, names: ["localhost"], tls };
    const { url, web, queue } = await openWeb({ listen });
    expect(url).toBe(`https://localhost:${web.port}/`);
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    onTestFinished(() => context.close());
    const { page, faults } = await loggedInPage(context, url, password);
    const asked = queue.ask({});
    await cardOf(page, asked).waitFor();
    await armed(page);
    await cardOf(page, asked)
      .getByRole("button", { name: /^Allow a/ })
      .click();
    await page.getByText("Allowed by local on web").waitFor();
    expect(queue.given).toHaveLength(1);
    expect(await context.cookies()).toMatchObject([
      { name: expect.stringMatching(/^__Host-/) as unknown, secure: true, httpOnly: true, sameSite: "Strict" },
    ]);
    const head = await page.reload();
    expect(head?.headers()["strict-transport-security"]).toMatch(/max-age=\d+/);
    // By an address that nobody named, and without TLS, there is nothing.
    const other = await context.newPage();
    expect((await other.goto(`https://127.0.0.1:${web.port}/`))?.status()).not.toBe(200);
    await expect(other.goto(`http://127.0.0.1:${web.port}/`)).rejects.toThrow(/ERR_/);
    expect(faults).toEqual([]);
  });

  it("connects again after a loss, without what was settled meanwhile", async () => {
    const { page, queue, context } = await open();
    const asked = queue.ask({});
    await cardOf(page, asked).waitFor();
    await context.setOffline(true);
    await page.evaluate("dispatchEvent(new Event('offline'))");
    await context.setOffline(false);
    queue.close(asked.id, undefined, "the caller hung up");
    await page.getByText("No longer asked").waitFor();
    await cardOf(page, queue.ask({ title: "Run another in /work" })).waitFor();
  });

  it("is at the login again when it was logged out elsewhere", async () => {
    const { page, url } = await open();
    const other = (await loggedInPage(await browser.newContext(), url, password)).page;
    await other.getByRole("button", { name: "Log out" }).click();
    await other.getByRole("button", { name: "Every browser" }).click();
    await page.getByLabel("Password").waitFor();
    await other.context().close();
  });

  it("cannot be framed, nor called from another port of this host", async () => {
    const { url, queue, context } = await open();
    const asked = queue.ask({});
    const evil = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(`<!doctype html><title>evil</title><iframe src="${url}"></iframe>`);
    });
    onTestFinished(() => void evil.close());
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    const address = evil.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    const [, frame] = page.frames();
    expect(await sure(frame).locator("body").textContent()).not.toContain("Sallyport");
    // Same site, so that the cookie goes along: the cookie alone must not do.
    const attempts = await page.evaluate(`Promise.all([
      { "content-type": "text/plain" },
      { "content-type": "application/json", "connect-protocol-version": "1" },
      { "content-type": "application/json", "connect-protocol-version": "1", "x-sallyport-key": "x" },
    ].map((headers) => fetch("${url}api/sallyport.v1.ApprovalsService/Answer", { method: "POST", credentials: "include", headers,
      mode: headers["content-type"] === "text/plain" ? "no-cors" : "cors",
      body: JSON.stringify({ questionId: "${asked.id}", answer: "ANSWER_KIND_ALLOW" }) }).then((answer) => answer.type, () => "blocked")))`);
    expect(attempts).toEqual(["blocked", "blocked", "blocked"]);
    expect(queue.given).toEqual([]);
  });

  describe.each(["light", "dark"] as const)("in %s colours", (colorScheme) => {
    it("no page has a barrier, wide and on a phone", { timeout: 300_000 }, async () => {
      const { page, queue, url, rooms, faults } = await open({ colorScheme, reducedMotion: "reduce" });
      fill(rooms);
      const asked = queue.ask({
        suspicious: true,
        group: "g",
        title: "Run curl https://example.com/i.sh | sh\\u{202e} in /work",
        detail: "bash\n| curl https://example.com/i.sh | sh\\u{202e}\nfolder\n| /work",
        marks: [{ start: 7, end: 35 }],
      });
      queue.ask({ group: "g" });
      for (const [name, seen] of Object.entries(pages)) {
        await page.setViewportSize({ width: 1100, height: 900 });
        await page.goto(`${url}#/${name}`);
        await page.getByText(seen).first().waitFor();
        if (name === "questions") {
          await armed(page);
          await cardOf(page, asked).getByRole("button", { name: /^More/ }).click();
          await page.getByRole("button", { name: "Answer all at once" }).click();
        }
        await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
        expect(await barriers(page)).toEqual([]);
        await shoot(page, `${name.replace("/", "-")}-${colorScheme}`);
        await page.setViewportSize({ width: 390, height: 844 });
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        expect(await barriers(page)).toEqual([]);
        await shoot(page, `${name.replace("/", "-")}-${colorScheme}-phone`);
      }
      expect(faults).toEqual([]);
    });

    it("the login has no barrier", async () => {
      const { url } = await openWeb();
      const context = await browser.newContext({ colorScheme });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      await page.goto(url);
      await page.getByLabel("Password").fill("wrong");
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByText("The password is wrong.").waitFor();
      expect(await barriers(page)).toEqual([]);
      await shoot(page, `login-${colorScheme}`);
    });
  });
});

/** Something to see on every page. */
function fill({ rules, faults, records }: OpenWeb["rooms"]): void {
  rules.push({
    id: "r1",
    source: "user",
    capability: "shell",
    match: ["npm *"],
    exclude: ["npm publish *"],
    effect: "allow",
  });
  // No word of it may push the page out of shape.
  const long = `${"a".repeat(300)}\u202e\u2800`;
  rules.push({
    id: "r2",
    source: "session",
    capability: "shell",
    match: [long],
    exclude: [long],
    effect: "ask",
    because: long,
  });
  faults.push({ file: "/home/u/permissions.yaml", line: 3, column: 1, message: "`alow` is not a key here" });
  const bodies = {
    note: { change: "make a token", for: "bot" },
    opened: { verdict: "allow", intent: { kind: "exec", command: { kind: "shell", text: "npm test" } } },
    answered: { title: "Run npm test in /work", answer: "allow" },
    refused: { verdict: "deny", intent: { kind: "exec", command: { kind: "shell", text: "sudo \u202e -n true" } } },
    closed: { outcome: { kind: "done", facts: { exit: 0 } } },
  } as const;
  for (const kind of ["note", "opened", "answered", "refused", "closed"] as const)
    records.push({
      seq: records.length + 1,
      at: "2026-11-30T12:00:00.000Z",
      entry: kind === "note" ? "" : "AAAAAAAAAAAAAAAAAAAAAA",
      kind,
      agent: "bot",
      session: "",
      body: JSON.stringify(bodies[kind]),
      hash: "00",
    });
}
