import Dockerode from "dockerode";
import { describe, expect, it } from "vitest";
import type { ExecEvent } from "../../src/clients/client/exec-call.ts";
import { scriptedApprover, allow } from "./support/scripted-approver.ts";
import { startSallyport } from "./support/start-sallyport.ts";
import { listContainers } from "../sandbox/list-containers.ts";

const docker = new Dockerode();

/** Containers whose mounts show that they belong to this workspace. */
async function containersOf(workspace: string): Promise<string[]> {
  const found = [];
  for (const { Id, Mounts } of await listContainers(docker))
    if (Mounts.some((mount) => mount.Source === workspace)) found.push(Id);
  return found;
}

describe("a sidecar that is killed in the middle of a command", () => {
  it("leaves no container after the next start, a chain that verifies, and an entry that says abandoned", async () => {
    const first = await startSallyport({ settings: "sandboxes: { spare: false }\n" });
    const admin = first.client();
    const approver = scriptedApprover(admin, () => allow);
    const call = admin.exec({ command: { shell: "echo up; sleep 600" } });
    const events: AsyncIterator<ExecEvent, undefined> = call[Symbol.asyncIterator]();
    let entryId = "";
    for (;;) {
      const { value } = await events.next();
      if (value === undefined) throw new Error("the command ended early");
      if (value.kind === "started") entryId = value.entryId;
      if (value.kind === "stdout") break;
    }
    expect(await containersOf(first.workspace)).toHaveLength(1);
    const broken = events.next();
    broken.catch(() => undefined);
    const stopped = approver.stop().catch(() => undefined);
    await first.kill();
    await expect(broken).rejects.toMatchObject({ code: expect.stringMatching(/unavailable|cancelled/) as string });
    await stopped;

    const second = await startSallyport({ home: first.home, workspace: first.workspace });
    try {
      const again = second.client();
      await expect.poll(() => containersOf(first.workspace), { timeout: 30_000 }).toEqual([]);
      expect(await again.audit.verify({})).toMatchObject({ ok: true });
      const { records } = await again.audit.query({ filter: { entryId } });
      expect(records.map((record) => record.kind)).toEqual(["opened", "abandoned"]);
    } finally {
      await second.remove();
    }
  });
});
