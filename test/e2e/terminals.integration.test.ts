import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { SshServer } from "../sandbox/ssh-server.ts";
import { environmentOf, repository, type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

/** A terminal somewhere, as a person has it. */
interface Seat {
  /** What is on it. */
  screen(): string;
  press(key: "Up" | "Enter" | "C-c"): void;
}

const main = join(repository, "src/main.ts");
const program = [process.execPath, main, "approve", "--watch"];
const settings = "runtime: bubblewrap\nsandboxes: { spare: false }\n";

function tmuxObstacle(): string | undefined {
  try {
    execFileSync("tmux", ["-V"], { stdio: "pipe" });
    return undefined;
  } catch {
    return "no tmux (apt-get install tmux)";
  }
}

const noTmux = tmuxObstacle();
const noSsh = SshServer.obstacle();
for (const obstacle of [noTmux, noSsh])
  if (obstacle !== undefined) process.stdout.write(`a test of the approver is skipped: ${obstacle}\n`);

describe("the approver", { timeout: 240_000 }, () => {
  let sallyport: RunningSallyport;
  let client: SallyportClient;
  beforeAll(async () => {
    sallyport = await startSallyport({ settings });
    client = sallyport.client();
  }, 120_000);
  afterAll(() => sallyport.remove());

  /** Has a folder made, which is asked about, and answers at the seat. */
  async function answered(seat: Seat, name: string, choice: string, by = client): Promise<boolean> {
    const path = join(sallyport.workspace, name);
    const asked = by.files.makeDirectory({ path }).catch(() => undefined);
    await expect.poll(() => seat.screen(), { timeout: 60_000 }).toMatch(new RegExp(`${name}[^]*Enter: confirm`));
    // The prompt takes no key before it stood for a moment.
    while (!new RegExp(`● ${choice}\\b`).test(lastMenu(seat))) {
      seat.press("Up");
      await setTimeout(300);
    }
    const isOpen = async (): Promise<boolean> => (await by.approvals.list({})).questions.length > 0;
    while (await isOpen()) {
      seat.press("Enter");
      await setTimeout(300);
    }
    await asked;
    return existsSync(path);
  }

  function lastMenu(seat: Seat): string {
    const screen = seat.screen();
    return screen.slice(screen.lastIndexOf("◆"));
  }

  function tmux(command: readonly string[], env: Readonly<Record<string, string>>): Seat {
    const socket = `sallyport-test-${process.pid}`;
    const run = (...args: string[]): string =>
      execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
    const vars = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    run("new-session", "-d", "-x", "120", "-y", "50", ...vars, "--", ...command);
    onTestFinished(() => void run("kill-server"));
    return { screen: () => run("capture-pane", "-p"), press: (key) => void run("send-keys", key) };
  }

  it.skipIf(noTmux !== undefined)("works inside tmux", async () => {
    const seat = tmux(program, environmentOf(sallyport.home));
    expect(await answered(seat, "tmux-deny", "Deny")).toBe(false);
    expect(await answered(seat, "tmux-allow", "Allow")).toBe(true);
    expect(seat.screen()).not.toContain("\u001b");
  });

  it.skipIf(noTmux !== undefined)("works inside tmux for who serves, too", async () => {
    const other = await startSallyport({ settings });
    await other.stop();
    const seat = tmux(
      [process.execPath, main, "serve", "--workspace", other.workspace, "--approve"],
      environmentOf(other.home),
    );
    await expect.poll(() => seat.screen(), { timeout: 120_000 }).toContain("alias sallyport=");
    const by = other.client();
    const path = join(other.workspace, "served");
    const asked = by.files.makeDirectory({ path }).catch(() => undefined);
    await expect.poll(() => seat.screen(), { timeout: 60_000 }).toMatch(/served[^]*Enter: confirm/);
    while (!/● Allow\b/.test(lastMenu(seat))) {
      seat.press("Up");
      await setTimeout(300);
    }
    while ((await by.approvals.list({})).questions.length > 0) {
      seat.press("Enter");
      await setTimeout(300);
    }
    await asked;
    expect(existsSync(path)).toBe(true);
    seat.press("C-c");
    await expect.poll(() => existsSync(other.socket), { timeout: 60_000 }).toBe(false);
    await other.remove();
  });

  it.skipIf(noSsh !== undefined)("works over ssh", async () => {
    const server = new SshServer();
    onTestFinished(() => server[Symbol.asyncDispose]());
    await server.start();
    const vars = Object.entries(environmentOf(sallyport.home)).map(([name, value]) => `${name}='${value}'`);
    const remote = `${vars.join(" ")} ${program.map((word) => `'${word}'`).join(" ")}`;
    expect(server.engineHost).toContain(userInfo().username);
    const terminal = spawn(server.client(), ["-tt", server.engineHost, remote], {
      name: "xterm-256color",
      cols: 120,
      rows: 50,
    });
    onTestFinished(() => terminal.kill());
    let said = "";
    terminal.onData((data) => (said += data));
    const keys = { Up: "\u001b[A", Enter: "\r", "C-c": "\u0003" };
    const seat: Seat = { screen: () => stripVTControlCharacters(said), press: (key) => terminal.write(keys[key]) };
    expect(await answered(seat, "ssh-deny", "Deny")).toBe(false);
    expect(await answered(seat, "ssh-allow", "Allow")).toBe(true);
  });
});
