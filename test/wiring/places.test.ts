import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findPlaces } from "../../src/wiring/places.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "sp-")));
});
afterEach(() => rmSync(base, { recursive: true }));

describe("the places of a Sallyport", () => {
  it("stay where they were found when a link on the way is pointed elsewhere", () => {
    for (const name of ["config", "state", "run"]) {
      mkdirSync(join(base, "real", name), { recursive: true });
      symlinkSync(join(base, "real", name), join(base, name));
    }
    const places = findPlaces(
      {
        XDG_CONFIG_HOME: join(base, "config"),
        XDG_STATE_HOME: join(base, "state"),
        XDG_RUNTIME_DIR: join(base, "run"),
        SALLYPORT_MANAGED_DIR: join(base, "managed"),
      },
      {},
    );
    for (const name of ["config", "state", "run"]) {
      unlinkSync(join(base, name));
      mkdirSync(join(base, name));
    }
    const real = (name: string) => join(base, "real", name, "sallyport");
    expect([places.config.folder, places.config.user, places.state, places.runtime]).toEqual([
      real("config"),
      join(real("config"), "permissions.yaml"),
      real("state"),
      real("run"),
    ]);
    expect(places.config.managed[0]).toBe(join(base, "managed", "permissions.yaml"));
  });
});
