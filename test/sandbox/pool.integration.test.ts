import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { parseSessionId, type SessionId } from "../../src/model/ids.ts";
import type { ImagedSpec } from "../../src/sandbox/imaged-spec.ts";
import type { Sandbox, SandboxSpec } from "../../src/model/runtime.ts";
import { createPool, type Pool } from "../../src/sandbox/pool.ts";
import { busyboxImage, docker, ensureEngine } from "./engine.ts";
import { Bench, finish, never, path, permit, waitFor } from "./harness.ts";
import { containersOf } from "./list-containers.ts";

beforeAll(ensureEngine);

let bench: Bench;
let pool: Pool;
beforeEach(() => {
  bench = new Bench();
  pool = createPool({ runtime: bench.runtime, retiredIdleMs: 100 });
});
afterEach(async () => {
  await pool.closeAll();
  await bench[Symbol.asyncDispose]();
});

function session(name: string): SessionId {
  const id = parseSessionId(name);
  if (id === undefined) throw new Error("no id");
  return id;
}

const spec = (wish: Partial<ImagedSpec> = {}): ImagedSpec => bench.spec({ image: busyboxImage, ...wish });

async function echo(sandbox: Sandbox, of: SandboxSpec, word: string): Promise<string> {
  return (await finish(await sandbox.spawn(permit(of, { argv: ["echo", word] }), never))).stdout;
}

async function containers(): Promise<number> {
  return (await containersOf(docker, bench.owner)).length;
}

test("callers who come at once share one container, and later ones too", async () => {
  const sandboxes = await Promise.all(Array.from({ length: 8 }, () => pool.acquire(spec(), never)));
  expect(new Set(sandboxes).size).toBe(1);
  expect(await pool.acquire(spec(), never)).toBe(sandboxes[0]);
  expect(await containers()).toBe(1);
});

test("a caller who leaves does not take the sandbox from those who wait", async () => {
  const leaving = new AbortController();
  const left = pool.acquire(spec(), leaving.signal);
  const waiting = pool.acquire(spec(), never);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: "cancelled" });
  expect(await echo(await waiting, spec(), "here")).toBe("here\n");
});

test("sessions, images and limits share nothing", async () => {
  const { limits } = spec();
  const specs = [
    spec(),
    spec({ session: session("other") }),
    spec({ limits: { ...limits, pids: limits.pids + 1 } }),
    spec({ image: "sallyport-sandbox:dev" }),
  ];
  const sandboxes = await Promise.all(specs.map((one) => pool.acquire(one, never)));
  expect(new Set(sandboxes.map((sandbox) => sandbox.id)).size).toBe(4);
});

test("other scopes need another container: a renewed one ends, but no command in it is cut off", async () => {
  const before = spec();
  const old = await pool.acquire(before, never);
  const process = await old.spawn(
    permit(before, { argv: ["sh", "-c", "echo ready; read line; echo $line"], stdin: true }),
    never,
  );
  await waitFor(process, "ready");
  const more = join(bench.workspace, "more");
  mkdirSync(more);
  pool.renew(before.session);
  const after = spec({ scopes: [...before.scopes, { root: path(more), access: "ro", lasts: "session" }] });
  const renewed = await pool.acquire(after, never);
  expect(renewed.id).not.toBe(old.id);
  expect(await echo(renewed, after, "new")).toBe("new\n");
  // Many turns of the reaper: the old one still works.
  for (let round = 0; round < 10; round++) {
    await echo(renewed, after, "wait");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await process.writeStdin(Buffer.from("finished\n"));
  expect((await finish(process)).stdout).toBe("finished\n");
  expect(await old.gone).toBe("closed");
  expect(await echo(renewed, after, "still")).toBe("still\n");
});

test("the three kinds that were used last stay warm", async () => {
  const kinds = ["a", "b", "c", "d"].map((name) => {
    const folder = join(bench.workspace, name);
    mkdirSync(folder);
    return spec({ scopes: [...spec().scopes, { root: path(folder), access: "ro", lasts: "session" }] });
  });
  const first = [];
  for (const kind of kinds.slice(0, 3)) first.push(await pool.acquire(kind, never));
  const again = [];
  for (const kind of kinds.slice(0, 3)) again.push(await pool.acquire(kind, never));
  expect(again).toEqual(first);
  const [a, b, , d] = kinds;
  if (a === undefined || b === undefined || d === undefined) throw new Error("no kinds");
  await pool.acquire(a, never);
  await pool.acquire(d, never);
  expect(await first[1]?.gone).toBe("closed");
  expect(await pool.acquire(a, never)).toBe(first[0]);
  expect(await pool.acquire(b, never)).not.toBe(first[1]);
});

test("a one-time scope gets a container for one command, and the session's stays", async () => {
  const usual = await pool.acquire(spec(), never);
  const once = spec({ scopes: [...spec().scopes, { root: path("/usr/share"), access: "ro", lasts: "once" }] });
  const single = await pool.acquire(once, never);
  expect(single.id).not.toBe(usual.id);
  expect(await echo(single, once, "once")).toBe("once\n");
  expect(await single.gone).toBe("closed");
  expect(await pool.acquire(spec(), never)).toBe(usual);
});

test("a container that died is replaced", async () => {
  const first = await pool.acquire(spec(), never);
  await docker.getContainer(first.id).kill();
  await first.gone;
  const second = await pool.acquire(spec(), never);
  expect(second.id).not.toBe(first.id);
  expect(await echo(second, spec(), "again")).toBe("again\n");
});

test("a sandbox that could not be made is tried again", async () => {
  const missing = spec({ image: `sallyport-test-${randomUUID()}` });
  await expect(pool.acquire(missing, never)).rejects.toMatchObject({ code: "failed_precondition" });
  await docker.getImage(busyboxImage).tag({ repo: missing.image });
  expect(await echo(await pool.acquire(missing, never), missing, "there")).toBe("there\n");
  await pool.close(missing.session);
  await docker.getImage(missing.image).remove();
});

test("idle sandboxes are closed, busy ones are not", async () => {
  const quick = createPool({ runtime: bench.runtime, idleMs: 100 });
  const busy = await quick.acquire(spec(), never);
  const process = await busy.spawn(
    permit(spec(), { argv: ["sh", "-c", "echo ready; read line; echo $line"], stdin: true }),
    never,
  );
  const idle = await quick.acquire(spec({ session: session("idle") }), never);
  expect(await idle.gone).toBe("closed");
  await process.writeStdin(Buffer.from("busy\n"));
  expect((await finish(process)).stdout).toContain("busy\n");
  expect(await busy.gone).toBe("closed");
  await quick.closeAll();
});

test("closing a session ends its sandboxes, those that are being made too, and no others", async () => {
  const other = await pool.acquire(spec({ session: session("other") }), never);
  const mine = await pool.acquire(spec(), never);
  const making = pool.acquire(spec({ image: "sallyport-sandbox:dev" }), never);
  await Promise.all([pool.close(spec().session), expect(making).rejects.toMatchObject({ name: "Problem" })]);
  expect(await mine.gone).toBe("closed");
  expect(await containers()).toBe(1);
  expect(await echo(other, spec({ session: session("other") }), "alive")).toBe("alive\n");
});

test("no more than the most: the one that was idle longest makes room, one that works does not", async () => {
  const small = createPool({ runtime: bench.runtime, maxSandboxes: 2, keptMs: 0 });
  const [oldest, newer, third] = ["oldest", "newer", "third"].map((name) => spec({ session: session(name) }));
  if (oldest === undefined || newer === undefined || third === undefined) throw new Error("no specs");
  const first = await small.acquire(oldest, never);
  const second = await small.acquire(newer, never);
  const busy = await second.spawn(permit(newer, { argv: ["cat"], stdin: true }), never);
  expect(await echo(await small.acquire(third, never), third, "third")).toBe("third\n");
  expect(await first.gone).toBe("closed");
  expect(await containers()).toBe(2);
  const working = await (await small.acquire(third, never)).spawn(permit(third, { argv: ["cat"], stdin: true }), never);
  await expect(small.acquire(oldest, never)).rejects.toMatchObject({ code: "resource_exhausted" });
  working.closeStdin();
  await finish(working);
  // Several who come at once each get a place, or the word that there is none.
  const made = await Promise.allSettled([small.acquire(oldest, never), small.acquire(spec(), never)]);
  expect(made.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  busy.closeStdin();
  expect((await finish(busy)).exit.code).toBe(0);
  await small.closeAll();
  await expect(small.acquire(spec(), never)).rejects.toMatchObject({ code: "unavailable" });
  expect(await containers()).toBe(0);
});

test("connections from inside reach the pool's handler with their session", async () => {
  const seen: string[] = [];
  const proxied = createPool({
    runtime: bench.runtime,
    onConnection: (connection) => {
      seen.push(connection.session);
      connection.destroy();
    },
  });
  const sandbox = await proxied.acquire(spec(), never);
  await finish(await sandbox.spawn(permit(spec(), { argv: ["nc", "127.0.0.1", "3128"] }), never));
  expect(seen).toEqual([spec().session]);
  await proxied.closeAll();
});
