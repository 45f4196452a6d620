import { chmodSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createLoginLimits } from "../../src/server/web/login-limits.ts";
import { passwordFile } from "../../src/server/web/password-file.ts";
import { hashPassword, isPassword, newPassword } from "../../src/server/web/password-hash.ts";
import { createVisits } from "../../src/server/web/visits.ts";
import { inside, sure, temporaryFolder } from "../server/open-server.ts";
import { openWeb, ownHeaders, password, send, smallCost, visit } from "./support/open-web.ts";

const tried = (host: string, guess: string, more: Record<string, string> = {}) =>
  send(host, "/login", { ...ownHeaders(host), ...more }, { body: JSON.stringify({ password: guess }) });

describe("a password", () => {
  it("is random, of 148 bits, in groups that a person can type", () => {
    const made = new Set(Array.from({ length: 200 }, newPassword));
    expect(made.size).toBe(200);
    for (const each of made) expect(each).toMatch(/^([a-hjkmnp-z2-9]{5}-){5}[a-hjkmnp-z2-9]{5}$/);
    expect(Math.log2(31) * 30).toBeGreaterThan(128);
  });

  it("is kept as a salted scrypt hash of 128 MiB, and found again however it is typed", async () => {
    const usual = await hashPassword("x");
    expect(128 * usual.n * usual.r).toBe(128 * 1024 * 1024);
    const kept = await hashPassword("abcde-fghjk", smallCost);
    expect(JSON.stringify(kept)).not.toContain("abcde");
    expect(await isPassword("ABCDE FGHJK", kept)).toBe(true);
    expect(await isPassword("abcde-fghjm", kept)).toBe(false);
    expect((await hashPassword("abcde-fghjk", smallCost)).salt).not.toBe(kept.salt);
  });

  it("lies in a file that only its owner may read, and one that others may read is refused", async () => {
    const path = inside(temporaryFolder(), "web-password");
    const file = passwordFile(path);
    expect(file.read()).toBeUndefined();
    const before = file.stamp();
    file.write(await hashPassword("x", smallCost));
    expect(file.stamp()).not.toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await isPassword("x", sure(file.read()))).toBe(true);
    chmodSync(path, 0o644);
    expect(() => file.read()).toThrow("only its owner");
  });

  it("is nothing that a file of another shape holds", async () => {
    const path = inside(temporaryFolder(), "web-password");
    const file = passwordFile(path);
    const hash = await hashPassword("x", smallCost);
    for (const broken of [
      { ...hash, n: 3 },
      { ...hash, n: 2 ** 30 },
      { ...hash, hash: "" },
      { ...hash, salt: "eA" },
    ]) {
      file.write(broken);
      expect(() => file.read()).toThrow("holds no password");
    }
  });
});

describe("limits of guesses", () => {
  const second = 1000;
  function guesses(count: number, take: () => number): number[] {
    return Array.from({ length: count }, take);
  }

  it("let five through, then make each further one wait twice as long, up to a quarter of an hour", () => {
    let now = 1_000_000;
    const limits = createLoginLimits(() => now);
    expect(guesses(5, () => limits.take("127.0.0.1"))).toEqual([0, 0, 0, 0, 0]);
    const waits: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const waitMs = limits.take("127.0.0.1");
      waits.push(waitMs / second);
      // A guess that was refused costs nothing more.
      expect(limits.take("127.0.0.1")).toBe(waitMs);
      now += waitMs;
      expect(limits.take("127.0.0.1")).toBe(0);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
  });

  it("are by address, an IPv6 network being one, and forget those who are right", () => {
    const limits = createLoginLimits(() => 5);
    for (let guess = 0; guess < 5; guess += 1) limits.take("2001:db8::1");
    expect(limits.take("2001:db8::ffff")).toBeGreaterThan(0);
    expect(limits.take("2001:db8:0:1::1")).toBe(0);
    limits.right("2001:db8::2");
    expect(limits.take("2001:db8::1")).toBe(0);
    expect(limits.take("::ffff:192.0.2.1")).toBe(0);
  });

  it("slow down many addresses together, and remember a bounded number of them", () => {
    const limits = createLoginLimits(() => 5);
    const taken = Array.from({ length: 5000 }, (_, at) => limits.take(`10.0.${at >> 8}.${at & 255}`));
    expect(taken.filter((waitMs) => waitMs === 0)).toHaveLength(60);
  });
});

describe("visits", () => {
  it("need both secrets, end after idleness and after their longest time, and are bounded", () => {
    let now = 0;
    const visits = createVisits({ idleMs: 100, longestMs: 250 }, () => now);
    const first = visits.open();
    const second = visits.open();
    expect(visits.find(first.cookie, first.key)).toBeDefined();
    expect(visits.find(first.cookie, second.key)).toBeUndefined();
    expect(visits.find(first.cookie, undefined)).toBeUndefined();
    expect(visits.find(undefined, first.key)).toBeUndefined();
    const found = sure(visits.find(first.cookie, first.key));
    now = 90;
    expect(visits.find(first.cookie, first.key)).toBe(found);
    now = 180;
    expect(visits.find(second.cookie, second.key)).toBeUndefined();
    visits.find(first.cookie, first.key);
    now = 251;
    visits.sweep();
    expect(found.ended.aborted).toBe(true);
    for (let each = 0; each < 100; each += 1) visits.open();
    expect(visits.count).toBe(32);
  });
});

describe("the login", () => {
  it("gives a cookie that no script reads and a key, and notes who came and went", async () => {
    const { host, notes } = await openWeb();
    const answer = await tried(host, password);
    const [cookie] = sure(answer.headers["set-cookie"]);
    expect(cookie).toMatch(/^sallyport-\d+=[\w-]{43}; Path=\/; Max-Age=7200; HttpOnly; SameSite=Strict$/);
    const headers = await visit(host);
    expect((await send(host, "/visit", headers)).status).toBe(200);
    expect((await send(host, "/logout", headers)).status).toBe(200);
    expect((await send(host, "/visit", headers)).status).toBe(401);
    expect((await tried(host, "wrong")).status).toBe(401);
    expect(notes).toEqual(["login 127.0.0.1", "login 127.0.0.1", "logout 127.0.0.1", "login refused 127.0.0.1"]);
  });

  it("holds guessing up with an honest Retry-After, also many guesses at once, and also with the right password then", async () => {
    const { host, notes } = await openWeb();
    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => tried(host, `wrong${at}`)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(5);
    expect(statuses.every((status) => status === 401 || status === 429)).toBe(true);
    for (let guess = 0; guess < 5; guess += 1) await tried(host, "wrong");
    const locked = await tried(host, password);
    expect(locked.status).toBe(429);
    expect(Number(locked.headers["retry-after"])).toBeGreaterThan(20);
    expect(notes).toHaveLength(5);
  });

  it("lets a new password log everybody out and lift the lock", async () => {
    const { host, passwordPath } = await openWeb();
    const headers = await visit(host);
    for (let guess = 0; guess < 6; guess += 1) await tried(host, "wrong");
    expect((await tried(host, password)).status).toBe(429);
    passwordFile(passwordPath).write(await hashPassword("new", smallCost));
    expect((await send(host, "/visit", headers)).status).toBe(401);
    expect((await tried(host, password)).status).toBe(401);
    expect((await tried(host, "new")).status).toBe(200);
    expect(readFileSync(passwordPath, "utf8")).not.toContain("new");
  });

  it("takes no session that the browser brought, and no cookie that is there twice", async () => {
    const { host } = await openWeb();
    const name = `sallyport-${host.split(":")[1]}`;
    const chosen = "a".repeat(43);
    const answer = await tried(host, password, { cookie: `${name}=${chosen}` });
    expect(sure(answer.headers["set-cookie"])[0]).not.toContain(chosen);
    const headers = await visit(host);
    const twice = { ...headers, cookie: `${name}=${chosen}; ${headers["cookie"] ?? ""}` };
    expect((await send(host, "/visit", twice)).status).toBe(401);
    expect((await send(host, "/visit", { ...headers, "x-sallyport-key": chosen })).status).toBe(401);
    expect(
      (await send(host, "/visit", { ...ownHeaders(host), "x-sallyport-key": headers["x-sallyport-key"] ?? "" })).status,
    ).toBe(401);
  });

  it("logs out all", async () => {
    const { host } = await openWeb();
    const [first, second] = [await visit(host), await visit(host)];
    expect((await send(host, "/logout-all", first)).status).toBe(200);
    expect((await send(host, "/visit", second)).status).toBe(401);
  });

  it.each([
    ["no JSON", "{", 400],
    ["no password", "{}", 400],
    ["another type", '{"password":["x"]}', 400],
    ["too long", JSON.stringify({ password: "x".repeat(5000) }), 413],
  ])("refuses a body with %s", async (_name, body, status) => {
    const { host } = await openWeb();
    expect((await send(host, "/login", ownHeaders(host), { body })).status).toBe(status);
  });
});
