import { describe, expect, it } from "vitest";
import { loadSecrets } from "../../src/config/load-secrets.ts";
import { scratch } from "./files.ts";

function load(text: string | undefined, needed: readonly string[] = [], mode = 0o600): ReadonlyMap<string, string> {
  const { paths, put } = scratch();
  if (text !== undefined) put(paths.secrets, text, mode);
  return loadSecrets(paths, needed);
}

describe("secrets", () => {
  it("are read from an owner-only file, and none where there is no file", () => {
    expect(load(undefined)).toEqual(new Map());
    expect(load("# mine\nTOKEN=abcdefgh\nQUOTED='a b c d'\nEMPTY=\n", ["TOKEN"])).toEqual(
      new Map([
        ["TOKEN", "abcdefgh"],
        ["QUOTED", "a b c d"],
      ]),
    );
  });

  it.each([0o640, 0o604, 0o660])("are refused in a file of mode %o", (mode) => {
    expect(() => load("TOKEN=abcdefgh\n", [], mode)).toThrow(/chmod/);
  });

  it("are missed by name, and never shown", () => {
    expect(() => load(undefined, ["TOKEN"])).toThrow("has no TOKEN");
    expect(() => load("TOKEN=abc\nOTHER=topsecretvalue\n", ["TOKEN", "GONE"])).toThrow(
      /^(?!.*(abc|topsecretvalue)).*GONE/s,
    );
  });
});
