/** A sidecar in miniature, to be killed by a test: opens a sandbox by a recipe, starts a command in it and says so. */
import { parseSessionId } from "../../../src/model/ids.ts";
import { initPath } from "../engine.ts";
import { never, path, spawn } from "../harness.ts";
import { makeRuntime, type Recipe } from "./kinds.ts";

interface Order {
  readonly recipe: Recipe;
  readonly owner: string;
  readonly runtimeFolder: string;
  readonly workspace: string;
}

const session = parseSessionId("killed");
process.once("message", (order: Order) => void run(order));

async function run({ recipe, owner, runtimeFolder, workspace }: Order): Promise<void> {
  if (session === undefined) throw new Error("no session");
  const runtime = makeRuntime(recipe, { runtimeFolder, initPath, owner, timeoutMs: 60_000, outputBytes: 1_000_000 });
  const sandbox = await runtime.create(
    {
      session,
      image: recipe.image,
      workspace: path(workspace),
      scopes: [{ root: path(workspace), access: "rw", lasts: "session" }],
      hidden: [],
      home: path("/home/agent"),
      limits: { memoryBytes: 256 << 20, cpus: 1, pids: 64, tmpBytes: 1 << 20 },
    },
    never,
  );
  await spawn(sandbox, { text: "setsid sleep 1000 & sleep 1000" });
  process.send?.("running");
}
