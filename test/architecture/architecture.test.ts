import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, dirname } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { meetingPlaces, meetingRoom, reserved, rooms } from "./rooms.ts";

const root = resolve(import.meta.dirname, "../..");
const src = join(root, "src");

interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const sources: readonly Source[] = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => {
    const path = relative(src, join(entry.parentPath, entry.name));
    const text = readFileSync(join(src, path), "utf8");
    return { path, text, imports: ts.preProcessFile(text, true, true).importedFiles.map((file) => file.fileName) };
  });

function roomOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
}

/** The package of an import: `@scope/name` or `name`; `node:` modules stand for themselves. */
function packageOf(specifier: string): string {
  if (specifier.startsWith("node:")) return specifier;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function faultsOf(source: Source): string[] {
  const own = roomOf(source.path);
  const allowed = rooms[own];
  return source.imports.flatMap((specifier) => {
    if (!specifier.startsWith(".")) {
      const from = packageOf(specifier);
      return allowed === undefined || allowed.outside.includes(from) ? [] : [`${source.path} imports ${specifier}`];
    }
    const target = relative(src, resolve(src, dirname(source.path), specifier));
    if (target.startsWith("..")) return [`${source.path} imports ${specifier} from outside src`];
    const other = roomOf(target);
    if (other === own || allowed?.rooms.includes(other) === true) return [];
    return allowed === undefined ? [] : [`${source.path} imports ${target}`];
  });
}

describe("the house", () => {
  it("has source to look at", () => {
    expect(sources.length).toBeGreaterThan(20);
  });

  it("holds no folder and no single file that the table does not list", () => {
    const folders = new Set(sources.map((source) => roomOf(source.path)).filter((room) => room !== ""));
    expect([...folders].filter((room) => !(room in rooms) && room !== meetingRoom)).toEqual([]);
    const single = sources.filter((source) => roomOf(source.path) === "").map((source) => source.path);
    expect(single.filter((path) => !meetingPlaces.includes(path))).toEqual([]);
  });

  it("has only the folders of the design at the top", () => {
    const allowed = new Set([
      ".ci",
      ".git",
      ".cache",
      "proto",
      "src",
      "images",
      "test",
      "node_modules",
      "dist",
      "coverage",
    ]);
    const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((entry) => entry.name).filter((name) => !allowed.has(name))).toEqual([]);
  });

  it("imports one way: no room reaches into a sibling or outside its table", () => {
    expect(sources.flatMap(faultsOf)).toEqual([]);
  });

  it("sees a planted fault", () => {
    const planted: Source = {
      path: "policy/x.ts",
      text: "",
      imports: ["../gate/gate.ts", "node:fs", "undici", "../model/rule.ts"],
    };
    expect(faultsOf(planted)).toHaveLength(3);
  });

  it.each(reserved)("lets only the named places $what", ({ pattern, places }) => {
    const found = sources.filter((source) => pattern.test(source.text)).map((source) => source.path);
    expect(found.toSorted()).toEqual([...places].toSorted());
  });

  it("keeps a README in every room", () => {
    const missing = Object.keys(rooms).filter(
      (room) => room !== "gen" && !readdirSync(join(src, room)).includes("README.md"),
    );
    expect(missing).toEqual([]);
  });
});
