/** A sidecar in miniature, to be killed by a test: opens a sandbox, starts a command in it and says so. */
import { parseSessionId } from "../../src/model/ids.ts";
import { createDockerRuntime } from "../../src/sandbox/docker-runtime.ts";
import { busyboxImage, initPath } from "./engine.ts";
import { never, path, spawn } from "./harness.ts";

const [carrier, owner = "", runtimeFolder = "", workspace = "", engineHost] = process.argv.slice(2);
const session = parseSessionId("killed");
if (session === undefined || (carrier !== "socket" && carrier !== "attach")) throw new Error("bad arguments");
const runtime = createDockerRuntime({
  runtimeFolder,
  initPath,
  owner,
  carrier,
  engineHost,
  timeoutMs: 60_000,
  outputBytes: 1_000_000,
});
const root = path(workspace);
const sandbox = await runtime.create(
  {
    session,
    image: busyboxImage,
    workspace: root,
    scopes: [{ root, access: "rw", lasts: "session" }],
    hidden: [],
    home: path("/home/agent"),
    limits: { memoryBytes: 64 << 20, cpus: 1, pids: 64, tmpBytes: 1 << 20 },
  },
  never,
);
await spawn(sandbox, { argv: ["sh", "-c", "setsid sleep 1000 & sleep 1000"] });
process.send?.("running");
