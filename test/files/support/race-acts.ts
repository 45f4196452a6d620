import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTempJournal } from "../../../src/files/temp-journal.ts";
import type { Trees } from "../../../src/files/trees.ts";
import type { AbsolutePath } from "../../../src/model/absolute-path.ts";
import type { DownloadAction, UploadAction } from "../../../src/model/action.ts";
import { listOf, readText, statOf, writeTo } from "./acts.ts";
import { tarOf } from "./tars.ts";
import { makeTrees, searchIn } from "./trees.ts";
import { chunksOf, never, permitFor, type Workspace } from "./workspace.ts";

/** What lies outside: no answer may hold it. */
export const secret = "outside, and longer";
/** What lies inside, under the same name. */
export const inside = "inside";

/** A workspace in which `d` is a folder, and `l` a link to a folder outside that looks the same. A process swaps them. */
export function prepareRace(w: Workspace): void {
  const outside = join(w.root, "..", "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "f"), secret);
  mkdirSync(w.at("d"));
  writeFileSync(w.at("d/f"), inside);
  symlinkSync(outside, w.at("l"));
}

/** Everything that the file service does, once; each gives what it got as a text. */
export type RaceAct = (count: number) => Promise<string>;

export async function raceActs(w: Workspace): Promise<Readonly<Record<string, RaceAct>>> {
  const trees: Trees = await makeTrees({ journal: createTempJournal(w.journal as AbsolutePath) });
  const root = w.root as AbsolutePath;
  return {
    read: () => readText(w, w.at("d/f")),
    stat: async () => sizes([await statOf(w, w.at("d/f"))]),
    list: async () => sizes((await listOf(w, w.at("d"))).entries),
    "list deep": async () => sizes((await listOf(w, root, 10_000, { depth: 9 })).entries),
    "write over": async () => String((await writeTo(w, w.at("d/f"), inside)).bytes),
    "write new": async (count) =>
      String((await writeTo(w, w.at(`d/new/${count}`), inside, { makeParents: true })).bytes),
    append: async () => String((await writeTo(w, w.at("d/a"), inside, { disposition: "append" })).bytes),
    search: async () => {
      const { hits } = await searchIn(w, trees, { pattern: "inside|outside", includeHidden: true });
      return hits.map(({ text }) => Buffer.from(text).toString()).join();
    },
    "search names": async () => {
      const { hits } = await searchIn(w, trees, { glob: "*" });
      return hits.map(({ path }) => path).join();
    },
    download: async () => {
      const permit = permitFor<DownloadAction>({ kind: "download", path: root, honorIgnoreFiles: false });
      const parts: Uint8Array[] = [];
      for await (const chunk of trees.download(permit, w.below, never).chunks) parts.push(chunk);
      return Buffer.concat(parts).toString();
    },
    upload: async (count) => {
      const permit = permitFor<UploadAction>({ kind: "upload", path: w.at("d"), overwrite: true, makeParents: true });
      const archive = tarOf({ name: "f", content: inside }, { name: `u/${count}`, content: inside });
      return JSON.stringify(await trees.upload(permit, w.below, chunksOf(archive), never));
    },
  };
}

function sizes(infos: readonly { readonly size: number; readonly kind: string }[]): string {
  return infos.flatMap(({ size, kind }) => (kind === "file" && size === secret.length ? [secret] : [])).join();
}

/** What is wrong outside, and with what is left inside; empty where nothing is. */
export function raceFaults(w: Workspace): string[] {
  const outside = join(w.root, "..", "outside");
  const faults: string[] = [];
  if (readdirSync(outside).join() !== "f") faults.push(`outside: ${readdirSync(outside).join()}`);
  if (readFileSync(join(outside, "f"), "utf8") !== secret) faults.push("the file outside was changed");
  const stray = readdirSync(w.root, { recursive: true }).filter((name) => String(name).includes(".sallyport-"));
  return [...faults, ...stray.map((name) => `left behind: ${String(name)}`)];
}
