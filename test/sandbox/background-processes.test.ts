import { afterEach, describe, expect, test, vi } from "vitest";
import type { BackgroundEvent, BackgroundFacts, BackgroundProcess } from "../../src/model/background.ts";
import { parseEntryId, parseSessionId, type EntryId, type SessionId } from "../../src/model/ids.ts";
import type { Process, ProcessEvent } from "../../src/model/runtime.ts";
import { type BackgroundOptions, createBackgroundProcesses } from "../../src/sandbox/background-processes.ts";

const kibibyte = 1024;
const never = new AbortController().signal;

function sure<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("nothing there");
  return value;
}
const session = (name: string): SessionId => sure(parseSessionId(name));
const entry = (name: string): EntryId => sure(parseEntryId(name));

/** A process whose events the test makes, one after another; `taken` counts what was read of them. */
function scripted() {
  const waiting: ProcessEvent[] = [{ kind: "started", pid: 7 }];
  let wake = Promise.withResolvers<void>();
  let broken: Error | undefined;
  const state = { taken: 0 };
  async function* events(): AsyncGenerator<ProcessEvent, undefined> {
    for (;;) {
      const event = waiting.shift();
      if (event !== undefined) {
        state.taken += 1;
        yield event;
        if (event.kind === "exit") return undefined;
      } else if (broken !== undefined) throw broken;
      else await wake.promise;
    }
  }
  const source = events();
  const process: Process = {
    // Like the real one: leaving a loop over it does not matter here, a second loop goes on.
    events: { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) },
    writeStdin: () => Promise.resolve(true),
    closeStdin() {},
    resize() {},
    signal() {},
    end: () => Promise.resolve(),
    kill: () => Promise.resolve(),
  };
  const tell = (act: () => void): void => {
    act();
    wake.resolve();
    wake = Promise.withResolvers();
  };
  return {
    process,
    state,
    say: (text: string | Uint8Array, kind: "stdout" | "stderr" = "stdout") =>
      tell(() => void waiting.push({ kind, data: Buffer.from(text) })),
    exit: (code = 0) =>
      tell(
        () =>
          void waiting.push({
            kind: "exit",
            code,
            signal: undefined,
            durationMs: 1,
            usage: { userMicros: 1, systemMicros: 1, maxRssBytes: 1 },
            truncated: false,
          }),
      ),
    lose: () =>
      tell(() => {
        broken = new Error("inner words");
      }),
  };
}

function table(options: Partial<BackgroundOptions> = {}) {
  const troubles: unknown[] = [];
  const ends: string[] = [];
  const processes = createBackgroundProcesses({ onTrouble: (error) => void troubles.push(error), ...options });
  async function keep(name: string, script: ReturnType<typeof scripted>, more: Partial<BackgroundFacts> = {}) {
    const facts: BackgroundFacts = {
      id: entry(name),
      session: session("one"),
      command: { kind: "argv", argv: [name] },
      pty: false,
      stdin: true,
      held: false,
      superseded: () => false,
      ...more,
    };
    return processes.reserve(facts.session).keep(script.process, facts, (end) => void ends.push(`${name} ${end.kind}`));
  }
  return { processes, keep, troubles, ends };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** What is there now of a process. */
async function now(process: BackgroundProcess): Promise<string> {
  let text = "";
  for await (const event of process.follow({ offset: 0, untilNow: true }, never))
    text += "data" in event ? Buffer.from(event.data).toString() : ` [${event.kind}]`;
  return text;
}

describe("a caller who holds a process", () => {
  test("slows it after half of what is kept, gets every byte, and lets it go on where it lets go", async () => {
    const { keep } = table({ ringBytes: 64 * kibibyte });
    const script = scripted();
    const process = await keep("a", script, { held: true });
    for (let i = 0; i < 20; i++) script.say(Buffer.alloc(8 * kibibyte, i));
    await turns();
    // 32 KiB and the one that went past it, besides the start.
    expect(script.state.taken).toBe(6);
    const held = process.followHeld(never);
    let bytes = 0;
    while (bytes < 80 * kibibyte) {
      const { value } = await held.next();
      if (value === undefined || !("data" in value)) throw new Error(`unexpected: ${value?.kind}`);
      for (const byte of value.data)
        if (byte !== Math.floor(bytes++ / (8 * kibibyte))) throw new Error(`a wrong byte at ${bytes}`);
    }
    expect(script.state.taken).toBeLessThan(21);
    process.letGo();
    await turns();
    expect(script.state.taken).toBe(21);
    expect(process.output).toEqual({ from: 96 * kibibyte, to: 160 * kibibyte });
  });

  test("and stands still holds up neither the end of its session nor that of all", async () => {
    for (const how of ["forget", "settled"] as const) {
      const { processes, keep, ends } = table({ ringBytes: 64 * kibibyte });
      const script = scripted();
      await keep("a", script, { held: true });
      for (let i = 0; i < 20; i++) script.say(Buffer.alloc(8 * kibibyte));
      await turns();
      script.lose();
      await (how === "forget" ? processes.forget(session("one")) : processes.settled());
      expect(ends).toEqual(["a lost"]);
    }
  });
});

describe("the end of a process", () => {
  test("is told once, after its last output, whether it is read or not", async () => {
    const { processes, keep, ends } = table();
    const [one, other] = [scripted(), scripted()];
    const processOne = await keep("one", one);
    await keep("other", other);
    one.say("out");
    one.say("err", "stderr");
    one.exit(3);
    other.lose();
    await processes.settled();
    expect(ends.toSorted()).toEqual(["one exit", "other lost"]);
    expect(await now(processOne)).toBe("outerr [exit]");
    expect(sure(processes.find(session("one"), entry("other"))).end).toEqual({
      kind: "lost",
      reason: "its events broke off",
    });
  });

  test("that cannot be recorded is trouble, and the process ends all the same", async () => {
    const { processes, troubles } = table();
    const script = scripted();
    const facts = {
      id: entry("a"),
      session: session("one"),
      command: { kind: "argv", argv: ["a"] },
      pty: false,
      stdin: false,
      held: false,
    } as const;
    const fault = new Error("the disk is full");
    const slot = processes.reserve(facts.session);
    const process = await slot.keep(script.process, { ...facts, superseded: () => false }, () => {
      throw fault;
    });
    script.exit();
    await processes.settled();
    expect(troubles).toEqual([fault]);
    expect(process.end).toMatchObject({ kind: "exit" });
  });

  test("before it has begun is a failure of its start", async () => {
    const { processes, keep } = table();
    const script = scripted();
    await script.process.events[Symbol.asyncIterator]().next();
    script.exit();
    await expect(keep("a", script)).rejects.toMatchObject({ code: "unavailable" });
    expect(processes.list(session("one"))).toEqual([]);
  });
});

describe("what is remembered", () => {
  afterEach(() => vi.useRealTimers());

  test("is bounded in number for each session and for all, running ones first", async () => {
    const { processes, keep } = table({ maxRunning: 2, maxEnded: 1, maxTogether: 3 });
    const names = (of: string): string[] => processes.list(session(of)).map(({ id }) => id);
    const scripts = [scripted(), scripted(), scripted(), scripted()];
    await keep("a", sure(scripts[0]));
    const slot = processes.reserve(session("one"));
    expect(() => processes.reserve(session("one"))).toThrow(
      expect.objectContaining({ code: "resource_exhausted" }) as Error,
    );
    slot.release();
    slot.release();
    await keep("b", sure(scripts[1]));
    scripts[0]?.exit();
    await turns();
    await keep("c", sure(scripts[2]));
    expect(names("one")).toEqual(["c", "b", "a"]);
    // The fourth of all takes the place of the one that ended.
    await keep("d", sure(scripts[3]), { session: session("two") });
    expect(names("one")).toEqual(["c", "b"]);
    expect(() => processes.reserve(session("two"))).toThrow(
      expect.objectContaining({ code: "resource_exhausted" }) as Error,
    );
    scripts[1]?.exit();
    scripts[2]?.exit();
    await turns();
    expect(names("one")).toEqual(["c"]);
  });

  test("is forgotten after a while, running ones never", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const { processes, keep } = table({ rememberMs: 1000 });
    const script = scripted();
    await keep("ended", script);
    await keep("running", scripted());
    script.exit();
    await turns();
    vi.advanceTimersByTime(900);
    expect(processes.list(session("one"))).toHaveLength(2);
    vi.advanceTimersByTime(300);
    expect(processes.list(session("one")).map(({ id }) => id)).toEqual(["running"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("whoever watches", () => {
  test("sees what is present, then each start and end once, of that session alone", async () => {
    const { processes, keep } = table();
    const [before, during] = [scripted(), scripted()];
    await keep("before", before);
    const leaving = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { kind, process } of processes.watch(session("one"), leaving.signal))
        seen.push(`${kind} ${process.id}`);
    })();
    await keep("during", during);
    await keep("elsewhere", scripted(), { session: session("two") });
    during.exit();
    await turns();
    before.lose();
    await turns();
    leaving.abort();
    await watching;
    expect(seen).toEqual(["present before", "started during", "ended during", "ended before"]);
  });

  test("and falls far behind is told, and costs no more than a bound", async () => {
    const { processes, keep } = table({ maxEnded: 1 });
    const watching: AsyncGenerator<BackgroundEvent> = processes.watch(session("one"), never);
    for (let i = 0; i < 600; i++) {
      const script = scripted();
      await keep(`p${i}`, script);
      script.exit();
      while (processes.list(session("one")).some(({ end }) => end === undefined)) await turns();
    }
    await expect(watching.next()).rejects.toMatchObject({ code: "resource_exhausted" });
  });
});
