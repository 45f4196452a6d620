/** Serves a rootless Podman as whoever runs this, looks at it, runs a command where it can, and prints what came of it as one line of JSON. */
import { spawnSync } from "node:child_process";
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createDockerRuntime } from "../../src/sandbox/docker-runtime.ts";
import { mapUser } from "../../src/sandbox/engine-traits.ts";
import { contractImage, ensureContractImage } from "./contract/image.ts";
import { Bench, run } from "./harness.ts";
import { PodmanService } from "./podman-service.ts";

const text = "id -u; echo x > made";
const found: Record<string, unknown> = {};
{
  await using service = new PodmanService();
  await service.start();
  await using bench = new Bench(
    { engineHost: service.engineHost, engine: "podman" },
    { make: createDockerRuntime, image: contractImage },
  );
  const { available, reason } = await bench.runtime.probe();
  await ensureContractImage(service.docker);
  const inside = available ? (await run(await bench.open(), text)).stdout : await runBare(service, bench.workspace);
  Object.assign(found, { available, reason, inside, owner: lstatSync(join(bench.workspace, "made")).uid });
}
// Ends the process that keeps the user namespace.
spawnSync("podman", ["system", "migrate"], { timeout: 20_000 });
process.stdout.write(`${JSON.stringify(found)}\n`);

/** A container without limits, with the user and the namespace that a sandbox would have. */
async function runBare({ docker }: PodmanService, workspace: string): Promise<string> {
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const traits = { kind: "podman", rootless: true, remapped: false, ociRuntime: undefined } as const;
  const { uid, gid, usernsMode } = mapUser(traits, self, self.uid);
  const container = await docker.createContainer({
    Image: contractImage,
    Cmd: ["sh", "-c", `(${text}) > told`],
    User: `${uid}:${gid}`,
    WorkingDir: workspace,
    HostConfig: { UsernsMode: usernsMode, NetworkMode: "none", Binds: [`${workspace}:${workspace}`] },
  });
  await container.start();
  await container.wait();
  await container.remove({ force: true });
  return readFileSync(join(workspace, "told"), "utf8");
}
