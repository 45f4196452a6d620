import { chownSync, mkdirSync, renameSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { parseSessionId, type SessionId } from "../../src/model/ids.ts";
import type { ImagedSpec } from "../../src/sandbox/imaged-spec.ts";
import { createPool, type Pool, type PoolOptions } from "../../src/sandbox/pool.ts";
import { busyboxImage, docker, ensureEngine } from "./engine.ts";
import { Bench, finish, never, path, permit } from "./harness.ts";
import { containersOf } from "./list-containers.ts";

beforeAll(ensureEngine);

let bench: Bench;
const pools: Pool[] = [];
beforeEach(() => {
  bench = new Bench();
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.closeAll()));
  await bench[Symbol.asyncDispose]();
});

function poolOf(options: Partial<PoolOptions> = {}): Pool {
  const pool = createPool({ runtime: bench.runtime, ...options });
  pools.push(pool);
  return pool;
}

function session(name: string): SessionId {
  const id = parseSessionId(name);
  if (id === undefined) throw new Error(name);
  return id;
}

const spec = (name: string, wish: Partial<ImagedSpec> = {}): ImagedSpec =>
  bench.spec({ image: busyboxImage, session: session(name), ...wish });

/** Ids of the containers that run now. */
async function containers(): Promise<string[]> {
  return (await containersOf(docker, bench.owner)).filter(({ State }) => State === "running").map(({ Id }) => Id);
}

/** Waits until so many run, `without` not among them; the test's timeout ends it. */
async function untilCount(count: number, without?: string): Promise<string[]> {
  for (;;) {
    const found = await containers();
    if (found.length === count && !found.some((id) => id === without)) return found;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

test("a spare that was prepared is the next session's, and its connections are too", async () => {
  const seen: string[] = [];
  const pool = poolOf({
    onConnection: (connection) => {
      seen.push(connection.session);
      connection.destroy();
    },
  });
  void pool.prepare(spec("any"));
  const [spare] = await untilCount(1);
  const given = await pool.acquire(spec("first"), never);
  expect(given.id).toBe(spare);
  const process = await given.spawn(permit(spec("first"), { argv: ["nc", "127.0.0.1", "3128"] }), never);
  await finish(process);
  expect(seen).toEqual(["first"]);
  // It is nobody else's now, and no permit of another session's works in it.
  await expect(given.spawn(permit(spec("second"), { argv: ["true"] }), never)).rejects.toMatchObject({
    code: "internal",
  });
  expect((await pool.acquire(spec("second"), never)).id).not.toBe(spare);
  await pool.close(session("first"));
  expect(await given.gone).toBe("closed");
});

test("a session's first sandbox brings a spare for the next one, of the same kind only", async () => {
  const pool = poolOf({ spareAfterMs: 0 });
  const first = await pool.acquire(spec("first"), never);
  const spare = (await untilCount(2)).find((id) => id !== first.id);
  const { limits } = spec("x");
  const other = await pool.acquire(spec("other", { limits: { ...limits, pids: limits.pids + 1 } }), never);
  expect(other.id).not.toBe(spare);
  // The spare is of the kind that was asked for last.
  const running = await untilCount(3, spare);
  const next = await pool.acquire(spec("next", { limits: { ...limits, pids: limits.pids + 1 } }), never);
  expect(running).toContain(next.id);
});

test("a spare whose folder was replaced or given to somebody else by now is given to nobody", async () => {
  const pool = poolOf();
  const workspace = path(`${bench.workspace}/project`);
  mkdirSync(workspace);
  const wish = { workspace, scopes: [{ root: workspace, access: "rw" as const, lasts: "session" as const }] };
  const changes = [
    () => {
      renameSync(workspace, `${workspace}-moved`);
      mkdirSync(workspace);
    },
    ...(process.getuid?.() === 0 ? [() => chownSync(workspace, 4321, 4321)] : []),
  ];
  for (const [index, change] of changes.entries()) {
    const gone = pool.prepare(spec("any", wish));
    const [spare] = await untilCount(1);
    change();
    const name = `session-${index}`;
    expect((await pool.acquire(spec(name, wish), never)).id).not.toBe(spare);
    await Promise.all([gone, pool.close(session(name))]);
  }
});

test("a spare makes room, is closed when idle, and goes with the pool", async () => {
  const pool = poolOf({ maxSandboxes: 1 });
  const made = pool.prepare(spec("any"));
  const [spare] = await untilCount(1);
  const { limits } = spec("x");
  const other = await pool.acquire(spec("other", { limits: { ...limits, pids: limits.pids + 1 } }), never);
  expect(other.id).not.toBe(spare);
  await made;
  // None is made where there is no room for it.
  await pool.prepare(spec("any"));
  expect(await untilCount(1)).toEqual([other.id]);
  await pool.closeAll();

  const quick = poolOf({ idleMs: 50 });
  await quick.prepare(spec("any"));
  const last = poolOf();
  const ending = last.prepare(spec("any"));
  await last.closeAll();
  await ending;
  await untilCount(0);
});

test("a spare that cannot be made is no fault of the session that asks later, which is told why", async () => {
  const pool = poolOf();
  await pool.prepare(spec("any", { image: "sallyport-test-missing:1" }));
  await expect(pool.acquire(spec("first", { image: "sallyport-test-missing:1" }), never)).rejects.toMatchObject({
    field: "image",
  });
});
