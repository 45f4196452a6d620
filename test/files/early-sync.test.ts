import { describe, expect, it } from "vitest";
import { earlySync } from "../../src/files/early-sync.ts";

const large = 32 * 1024 * 1024;

/** A disk that says when it is done. */
function disk() {
  const syncs: PromiseWithResolvers<void>[] = [];
  return {
    syncs,
    datasync() {
      const sync = Promise.withResolvers<void>();
      syncs.push(sync);
      return sync.promise;
    },
  };
}

describe("an early sync", () => {
  it("leaves a small file alone", async () => {
    const file = disk();
    const early = earlySync(file);
    early.wrote(large - 1);
    await early.settle();
    expect(file.syncs).toHaveLength(0);
  });

  it("runs once at a time, and again for what came meanwhile", async () => {
    const file = disk();
    const early = earlySync(file);
    for (let part = 0; part < 5; part += 1) early.wrote(large);
    expect(file.syncs).toHaveLength(1);
    file.syncs[0]?.resolve();
    await early.settle();
    early.wrote(1);
    expect(file.syncs).toHaveLength(2);
    file.syncs[1]?.resolve();
    await early.settle();
  });

  it("tells what the disk said, also after the next sync went well: the kernel says it once", async () => {
    const file = disk();
    const early = earlySync(file);
    early.wrote(large);
    file.syncs[0]?.reject(new Error("EIO"));
    await expect(early.settle()).rejects.toThrow("EIO");
    early.wrote(large);
    file.syncs[1]?.resolve();
    await expect(early.settle()).rejects.toThrow("EIO");
  });
});
