import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { environmentOf, repository, startSallyport } from "../e2e/support/start-sallyport.ts";
import { browserProgram, loggedInPage, openBrowser } from "../web/support/open-browser.ts";
import { heading, percentilesOf, row } from "./support/percentiles.ts";

// From an agent's request to the card that stands in a connected page: judged, queued, sent, drawn. Goal: under 100 ms.
const rounds = 100;
const warm = 10;

if (browserProgram === undefined) {
  console.log("question to page: not measured, for there is no chromium");
  process.exit(0);
}

const sallyport = await startSallyport({ settings: "web: { listen: '127.0.0.1:0' }\n" });
const browser = await openBrowser();
try {
  const env = { ...process.env, ...environmentOf(sallyport.home) };
  const main = join(repository, "src/main.ts");
  const password = execFileSync(process.execPath, [main, "web", "password", "--reset"], { env, encoding: "utf8" });
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(sallyport.output())?.[0] ?? "";
  const { page } = await loggedInPage(await browser.newContext(), url, password.trim());
  await page.getByText("Live").waitFor();
  // The browser tells the time itself: asking it would cost more than what is measured.
  await page.evaluate(`window.seen = new Map(); new MutationObserver(() => {
    for (const title of document.querySelectorAll("article.card h2")) {
      const name = /bench-\\d+/.exec(title.textContent)?.[0];
      if (name && !window.seen.has(name)) window.seen.set(name, performance.timeOrigin + performance.now());
    }
  }).observe(document.body, { childList: true, subtree: true, characterData: true })`);
  const client = sallyport.client();
  const samples: number[] = [];
  for (let round = 0; round < rounds + warm; round += 1) {
    const name = `bench-${round}`;
    const stop = new AbortController();
    const started = performance.timeOrigin + performance.now();
    const asking = client.sessions
      .authorize({ capability: "mcp", name: `server/${name}` }, { signal: stop.signal })
      .catch(() => {});
    await page.waitForFunction((wanted) => Reflect.get(globalThis, "seen").has(wanted), name);
    const seen = Number(await page.evaluate(`window.seen.get("${name}")`));
    if (round >= warm) samples.push(seen - started);
    stop.abort();
    await asking;
    await page.locator("article.card:not(.settled)").waitFor({ state: "detached" });
  }
  console.log(
    `\nA question on a connected page, from the agent's call to the drawn card (goal: under 100 ms)\n${heading}`,
  );
  console.log(row("question to page", percentilesOf(samples)));
} finally {
  await browser.close();
  await sallyport.remove();
}
