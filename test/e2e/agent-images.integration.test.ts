import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { Tier } from "../../src/gen/sallyport/v1/common_pb.ts";
import { busyboxImage, debianImage, ensureEngine } from "../sandbox/engine.ts";
import { runCommand } from "./support/run-command.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

describe("an image for each agent", () => {
  let sallyport: RunningSallyport;
  beforeAll(async () => {
    await ensureEngine();
    sallyport = await startSallyport({
      settings: `runtime: docker\nimage: ${debianImage}\nagents:\n  small: { image: ${busyboxImage} }\n  lost: { image: no-such-image-anywhere }\n`,
    });
  });
  afterAll(() => sallyport.remove());

  async function agent(name: string): Promise<SallyportClient> {
    const { token } = await sallyport.client().agents.createToken({ agent: name, tier: Tier.OPERATOR });
    return sallyport.client(token);
  }

  /** The image is told by what it has: the small one is busybox, whose ls knows no version. */
  async function isLarge(client: SallyportClient, sessionId?: string): Promise<boolean> {
    const spec = { command: { argv: ["ls", "--version"] as [string, string] } };
    const { end } = await runCommand(client, sessionId === undefined ? spec : { ...spec, sessionId });
    return end.code === 0;
  }

  it("is the one that the settings name for it, and the common one for others", async () => {
    expect(await isLarge(await agent("small"))).toBe(false);
    expect(await isLarge(await agent("other"))).toBe(true);
    expect(await isLarge(await agent("small"))).toBe(false);
  });

  it("refuses shell text where it has no bash, and says so", async () => {
    await expect(runCommand(await agent("small"), { command: { shell: "ls" } })).rejects.toThrow(/has no \/bin\/bash/);
  });

  it("is named where the engine does not have it, and no other is taken", async () => {
    await expect(isLarge(await agent("lost"))).rejects.toThrow(/no-such-image-anywhere is not on this machine/);
  });
});
