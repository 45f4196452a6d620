import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { join } from "node:path";
import { type IPty, spawn } from "@lydell/node-pty";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient, type SallyportClient } from "../../src/clients/client/create-client.ts";
import { runCommand } from "./support/run-command.ts";
import { environmentOf, repository } from "./support/start-sallyport.ts";

const down = "\u001b[B";
const up = "\u001b[A";
const enter = "\r";

describe("make run's terminal", () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "sp-")));
  const workspace = join(home, "work");
  let terminal: IPty;
  let screen = "";
  let exited: Promise<number>;
  let client: SallyportClient;

  /** Waits until the terminal shows `pattern` after what it had shown by `from`. */
  function shows(pattern: RegExp, from: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!pattern.test(screen.slice(from))) return;
        listening.dispose();
        resolve();
      };
      const listening = terminal.onData(look);
      look();
    });
  }

  beforeAll(async () => {
    mkdirSync(workspace);
    mkdirSync(join(home, "run"), { mode: 0o700 });
    const env = { ...process.env, ...environmentOf(home), TERM: "xterm", NO_COLOR: "1" };
    terminal = spawn(
      process.execPath,
      [join(repository, "src/main.ts"), "serve", "--workspace", workspace, "--approve"],
      {
        cols: 120,
        rows: 40,
        env,
      },
    );
    terminal.onData((data) => (screen += data));
    exited = new Promise((resolve) => {
      terminal.onExit(({ exitCode }) => resolve(exitCode));
    });
    await shows(/alias sallyport=/, 0);
    client = createClient({ socket: join(home, "run/sallyport/sallyport.sock") });
  });

  afterAll(async () => {
    client?.close();
    terminal.kill("SIGKILL");
    await exited;
    rmSync(home, { recursive: true, force: true });
  });

  /** Presses a key, again and again where it is not taken yet, until `isDone` holds of what the terminal shows since `from`. */
  async function press(key: string, from: number, isDone: (shown: string) => boolean): Promise<void> {
    while (!isDone(screen.slice(from))) {
      const before = screen.length;
      terminal.write(key);
      // The prompt takes no key before it stood for a moment.
      for (let look = 0; look < 10 && screen.length === before; look += 1) await setTimeout(100);
    }
  }

  /** Asks for `text` and chooses an answer with the arrow keys and Enter, in one menu after the other. */
  async function answer(text: string, choices: readonly string[], arrow: string): Promise<unknown> {
    let from = screen.length;
    const pending = runCommand(client, text).catch((error: unknown) => error);
    await shows(/Enter: confirm/, from);
    expect(screen.slice(from)).toContain(text);
    for (const choice of choices) {
      await press(arrow, from, (shown) => shown.lastIndexOf(`● ${choice}`) > shown.lastIndexOf("● ") - 1);
      from = screen.length;
      await press(enter, from, (shown) => shown.includes("◇"));
    }
    return pending;
  }

  it("denies with Enter alone: the choice that costs nothing is chosen first", async () => {
    expect(await answer("touch first", ["Deny"], up)).toMatchObject({ code: "permission_denied" });
    expect(existsSync(join(workspace, "first"))).toBe(false);
  });

  it("allows once with the arrow keys", async () => {
    expect(await answer("touch second", ["Allow"], up)).toMatchObject({ end: { code: 0 } });
    expect(existsSync(join(workspace, "second"))).toBe(true);
  });

  it("always denies with the arrow keys, and is not asked again", async () => {
    expect(await answer("touch third", ["More…", "Always deny"], down)).toMatchObject({ code: "permission_denied" });
    const from = screen.length;
    await expect(runCommand(client, "touch third")).rejects.toMatchObject({ denial: { source: "user" } });
    expect(screen.slice(from)).not.toContain("Always deny");
  });

  it("shows a broken edit of the rules at once, and the rules from before hold", async () => {
    const from = screen.length;
    const file = join(home, "config/sallyport/permissions.yaml");
    mkdirSync(join(home, "config/sallyport"), { recursive: true });
    writeFileSync(file, "rules:\n  - { capability: shell, efect: allow }\n");
    await shows(/Permissions are broken, the rules from before are kept:\s+.*permissions\.yaml:2:\d+: .*effect/, from);
    await expect(runCommand(client, "touch third")).rejects.toMatchObject({ denial: { source: "user" } });
  });

  it("ends with Ctrl-C, and cleans up", async () => {
    terminal.write("\u0003");
    expect(await exited).toBe(0);
    expect(existsSync(join(home, "run/sallyport/sallyport.sock"))).toBe(false);
  });
});
