import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

/** Where Debian and others put the browser. */
const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser's program; undefined where there is none. `make test` installs it where it may. */
export const browserProgram: string | undefined = places.find((place) => existsSync(place));

/** Says why tests are skipped, where they are. */
export function sayWithoutBrowser(): void {
  if (browserProgram === undefined)
    process.stdout.write("the tests of the page in a browser are skipped: install chromium\n");
}

/** Starts a browser without a window. It reaches this machine alone: no name is looked up. */
export function openBrowser(): Promise<Browser> {
  if (browserProgram === undefined) throw new Error("there is no browser");
  return chromium.launch({
    executablePath: browserProgram,
    args: [
      // Root may not use the browser's own sandbox; the tests show it nothing but this project's page.
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
    ],
  });
}

/** A page of a fresh profile that is logged in. `faults` gets what the console and the page complain of. */
export async function loggedInPage(
  context: BrowserContext,
  url: string,
  password: string,
): Promise<{ readonly page: Page; readonly faults: readonly string[] }> {
  const page = await context.newPage();
  // A machine that does much else is slow, not wrong.
  page.setDefaultTimeout(120_000);
  const faults: string[] = [];
  page.on("pageerror", (error) => void faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.goto(url);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { level: 1, name: "Questions" }).waitFor();
  return { page, faults };
}
