import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { createTempJournal } from "../../../src/files/temp-journal.ts";
import { folderEntries } from "../../../src/files/folder-entries.ts";
import { factsLocate } from "../../../src/files/locate.ts";
import type { Trees } from "../../../src/files/trees.ts";
import { type AbsolutePath, isInside, parseAbsolutePath } from "../../../src/model/absolute-path.ts";
import type { Below } from "../../../src/model/gate-ports.ts";
import type { EntryId } from "../../../src/model/ids.ts";
import type { Intent } from "../../../src/model/intent.ts";
import { bytesOfPath, pathOfBytes } from "../../../src/model/path-bytes.ts";
import { Permit } from "../../../src/model/permit.ts";
import { Problem } from "../../../src/model/problem.ts";
import { createJudge } from "../../../src/policy/judge.ts";
import { fakeFacts, subject } from "../../policy/world.ts";
import { tarOf } from "./tars.ts";
import { makeTrees } from "./trees.ts";
import { chunksOf, makeWorkspace, never, type Workspace } from "./workspace.ts";

/** What is in every file outside. */
const secret = "the secret of outside";

const names = ["a", "b", "d", "in", "out", "up", "abs", "loop", "dangling", "f", "ä", " ", "n".repeat(255)];

/** Components of a path: names that are there, links of every kind, dots, nothing, bytes. */
const component = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...names) },
  { weight: 3, arbitrary: fc.constantFrom(".", "..", "", "w", "outside", "/", "proc", "self", "root", "cwd", "fd") },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 6 }).map(pathOfBytes) },
);

/** A path, mostly from the workspace, often to a name that is in every folder. */
export const fuzzPath = fc.record({
  from: fc.constantFrom("workspace", "workspace", "workspace", "workspace", "above", "root"),
  components: fc
    .tuple(
      fc.array(component, { maxLength: 5 }),
      fc.constantFrom([], [], ["f"], ["f"], ["\udcff"], ["in", "f"], ["new"]),
    )
    .map(([way, last]) => [...way, ...last]),
});

export type FuzzPath = typeof fuzzPath extends fc.Arbitrary<infer T> ? T : never;

export const fuzzActs = ["read", "stat", "list", "write", "append", "search", "download", "upload"] as const;

/** A workspace full of links, judged by the real rules: only it is granted, and nobody is there to be asked. */
export class FuzzWorld {
  readonly w: Workspace = makeWorkspace();
  readonly #trees: Promise<Trees> = makeTrees({ journal: createTempJournal(this.w.journal as AbsolutePath) });
  readonly #who = subject({ mode: "autopilot", attended: false });
  readonly #judge = createJudge({
    facts: { ...fakeFacts(), locate: factsLocate, entries: folderEntries, homes: [] },
    mounts: false,
    session: () => ({
      subject: this.#who,
      workspace: this.w.root as AbsolutePath,
      scopes: [{ root: this.w.root as AbsolutePath, access: "rw", lasts: "always" }],
      rules: [],
      image: undefined,
      limits: { memoryBytes: 0, cpus: 0, pids: 0, tmpBytes: 0 },
      openedAt: new Date(0),
      lastUsedAt: new Date(0),
      key: "k",
    }),
    rules: () => [],
    now: () => new Date(),
  });
  #count = 0;
  /** How often each kind of act was done, not refused. */
  readonly done = new Map<string, number>();

  constructor() {
    this.#makeOutside();
    this.#fill();
  }

  /** Does one thing with one path, and says what is wrong with what came of it; empty where nothing is. */
  async act(kind: (typeof fuzzActs)[number], { from, components }: FuzzPath): Promise<string[]> {
    const start = from === "root" ? "" : from === "workspace" ? this.w.root : join(this.w.root, "..");
    const path = parseAbsolutePath(`${start}/${components.join("/")}`);
    if (path === undefined) return [];
    this.#count += 1;
    if (this.#count % 50 === 0) this.#fill();
    try {
      const got = await this.#perform(kind, path);
      this.done.set(kind, (this.done.get(kind) ?? 0) + 1);
      return [
        ...(got.includes(secret) ? [`${kind} ${path} shows what is outside`] : []),
        ...this.#outsideFaults(),
        ...this.#placeFaults(kind, path),
      ];
    } catch (error) {
      if (error instanceof Problem && error.code !== "internal") return this.#outsideFaults();
      throw error;
    }
  }

  async #perform(kind: (typeof fuzzActs)[number], path: AbsolutePath): Promise<string> {
    const trees = await this.#trees;
    const { files } = this.w;
    switch (kind) {
      case "read": {
        const reading = await files.read(this.#permit({ kind, path, offset: 0, length: 0 }), never);
        return text(reading.chunks);
      }
      case "stat":
        return JSON.stringify(await files.stat(this.#permit({ kind, path }), never));
      case "list":
        return JSON.stringify(
          (await files.list(this.#permit({ kind, path, limit: 1000, depth: 9 }), this.#below, never)).entries,
        );
      case "write":
      case "append": {
        const intent = {
          kind: "write",
          path,
          disposition: kind === "write" ? "overwrite" : "append",
          makeParents: true,
          mode: 0o644,
        } as const;
        await files.write(this.#permit(intent), chunksOf("x"), never);
        return "";
      }
      case "search": {
        const flags = { ignoreCase: false, literal: false, includeHidden: true, includeIgnored: true };
        const intent = { kind, path, pattern: "", glob: "*", limit: 1000, contextLines: 0, ...flags } as const;
        const found: string[] = [];
        for await (const hit of trees.search(this.#permit(intent), this.#below, never).hits) found.push(hit.path);
        return found.filter((each) => !isInside(this.w.root as AbsolutePath, each as AbsolutePath)).length > 0
          ? secret
          : "";
      }
      case "download":
        return text(trees.download(this.#permit({ kind, path, honorIgnoreFiles: false }), this.#below, never).chunks);
      case "upload": {
        const archive = tarOf(
          { name: "f", content: "x" },
          { name: "in/new", content: "x" },
          { name: "up/new", content: "x" },
        );
        await trees.upload(
          this.#permit({ kind, path, overwrite: true, makeParents: true }),
          this.#below,
          chunksOf(archive),
          never,
        );
        return "";
      }
      default:
        throw new Error("no such act");
    }
  }

  readonly #below: Below = (kind, root) => this.#judge.below(this.#who, kind, root);

  /** As the gate does: no permit without a yes. */
  #permit<I extends Intent>(intent: I) {
    const { settlement, action } = this.#judge.judge(this.#who, intent);
    if (settlement.kind !== "allow") throw new Problem("permission_denied", "refused");
    return Permit.issue(action, "e" as EntryId);
  }

  /** What was done must have been done inside, as the kernel sees it. */
  #placeFaults(kind: string, path: AbsolutePath): string[] {
    let real: string;
    try {
      real = pathOfBytes(realpathSync(Buffer.from(bytesOfPath(path)), "buffer"));
    } catch {
      // Gone, or a folder that was made for a refused write.
      return [];
    }
    return isInside(this.w.root as AbsolutePath, real as AbsolutePath) ? [] : [`${kind} ${path} acted on ${real}`];
  }

  #outsideFaults(): string[] {
    const outside = join(this.w.root, "..", "outside");
    const found = readdirSync(outside).toSorted().join();
    const whole =
      found === "d,f" &&
      readFileSync(join(outside, "f"), "utf8") === secret &&
      readdirSync(join(outside, "d")).join() === "f";
    const above = readdirSync(join(this.w.root, ".."))
      .toSorted()
      .filter((name) => !["journal", "outside", "w"].includes(name));
    if (whole && above.length === 0) return [];
    this.#makeOutside();
    return [`outside: ${found} ${above.join()}`];
  }

  #makeOutside(): void {
    const outside = join(this.w.root, "..", "outside");
    rmSync(outside, { recursive: true, force: true });
    mkdirSync(join(outside, "d"), { recursive: true });
    for (const name of ["f", "d/f"]) writeFileSync(join(outside, name), secret);
  }

  /** Files, folders and links of every kind, three levels deep. */
  #fill(): void {
    const root = this.w.root;
    rmSync(root, { recursive: true, force: true });
    for (const folder of ["", "a", "a/b", "d", "b"]) {
      mkdirSync(join(root, folder), { recursive: true });
      const up =
        folder
          .split("/")
          .filter((part) => part !== "")
          .map(() => "..")
          .join("/") || ".";
      for (const [name, target] of [
        ["in", `${up}/d`],
        ["out", `${up}/../outside`],
        ["up", ".."],
        ["abs", join(root, "..", "outside", "f")],
        ["loop", "loop"],
        ["dangling", `${up}/../outside/new`],
      ] as const)
        symlinkSync(target, join(root, folder, name));
      writeFileSync(join(root, folder, "f"), "inside");
      writeFileSync(Buffer.concat([Buffer.from(`${join(root, folder)}/`), Buffer.from([0xff])]), "inside");
    }
  }
}

async function text(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size > 1 << 20) break;
  }
  return Buffer.concat(parts).toString("latin1");
}
