import { accessSync, constants } from "node:fs";
import { expect, it } from "vitest";
import { findRipgrep } from "../../src/files/search/find-ripgrep.ts";
import { lookAtSearch } from "../../src/wiring/look-at-search.ts";

it("names the search program, or says what to install", async () => {
  const found = (await findRipgrep()) ?? "";
  expect(() => accessSync(found, constants.X_OK)).not.toThrow();
  expect(await lookAtSearch()).toEqual({ what: "search", ok: true, lines: [`content is searched by ${found}`] });
  const missing = await lookAtSearch(() => Promise.resolve(undefined));
  expect(missing).toMatchObject({ what: "search", ok: false });
  expect(missing.lines.join()).toContain("install");
});
