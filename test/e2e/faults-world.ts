import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecEvent } from "../../src/clients/client/exec-call.ts";
import type { ExecSpec } from "../../src/clients/client/exec-spec.ts";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { Mode } from "../../src/gen/sallyport/v1/common_pb.ts";
import { contractImage, ensureContractImage } from "../sandbox/contract/image.ts";
import { SecondEngine } from "../sandbox/second-engine.ts";
import { runCommand } from "./support/run-command.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";
import { listContainers } from "../sandbox/list-containers.ts";

/** Room for the image and a few containers. */
const diskBytes = 400 * 1024 * 1024;

/** How a command's stream went on after it had said `up`. */
export interface Ending {
  readonly exits: number;
  readonly error: unknown;
}

/** A command that runs. */
export interface Running {
  readonly entryId: string;
  /** Resolves when its stream is over. */
  readonly ended: Promise<Ending>;
}

/** A Sallyport with an engine of its own, which a test may stop, starve and fill. Needs root. */
export class FaultsWorld implements AsyncDisposable {
  readonly #group = `sp-faults-${randomBytes(4).toString("hex")}`;
  readonly engine = new SecondEngine(
    { "cgroup-parent": `/${this.#group}`, "exec-opts": ["native.cgroupdriver=cgroupfs"] },
    diskBytes,
  );
  #sallyport: RunningSallyport | undefined;
  #admin: SallyportClient | undefined;
  #sessions = 0;

  async open(): Promise<void> {
    await this.engine.start();
    await this.restoreImage();
    this.#sallyport = await startSallyport({
      env: { DOCKER_HOST: this.engine.engineHost },
      settings: `image: ${contractImage}\nsandboxes: { spare: false }\nlimits: { memory: 64MiB, tmp: 16MiB }\n`,
    });
    this.#admin = this.#sallyport.client();
  }

  get sallyport(): RunningSallyport {
    if (this.#sallyport === undefined) throw new Error("not opened");
    return this.#sallyport;
  }

  get admin(): SallyportClient {
    if (this.#admin === undefined) throw new Error("not opened");
    return this.#admin;
  }

  restoreImage(): Promise<void> {
    return ensureContractImage(this.engine.docker);
  }

  /** Takes all names from the image, as far as the engine cares: what a container runs of cannot be removed itself. */
  async loseImage(): Promise<void> {
    const { docker } = this.engine;
    await docker.getImage(contractImage).tag({ repo: "nameless", tag: randomBytes(4).toString("hex") });
    for (const { RepoTags } of await docker.listImages())
      for (const name of RepoTags ?? []) if (name.startsWith(contractImage)) await docker.getImage(name).remove();
  }

  /** A session of its own, in which everything may run. */
  async session(): Promise<string> {
    this.#sessions += 1;
    const { session } = await this.admin.sessions.open({ key: `fault-${this.#sessions}`, mode: Mode.ALLOW_ALL });
    return session?.id ?? "";
  }

  /** What a command prints. @throws SallyportError where it was refused or lost */
  async output(sessionId: string, text: string): Promise<string> {
    return (await runCommand(this.admin, { sessionId, command: { shell: text } })).stdout;
  }

  /** Starts a command that says `up` and stays, and waits until it has said so. */
  async begin(sessionId: string, more: Partial<ExecSpec> = {}): Promise<Running> {
    const call = this.admin.exec({ sessionId, command: { shell: "echo up; sleep 1000" }, ...more });
    const events: AsyncIterator<ExecEvent, undefined> = call[Symbol.asyncIterator]();
    let entryId = "";
    for (;;) {
      const { value } = await events.next();
      if (value === undefined) throw new Error("the command ended early");
      if (value.kind === "started") entryId = value.entryId;
      if (value.kind === "stdout") return { entryId, ended: readOn(events) };
    }
  }

  /** The kinds of the records of an entry, and of its end the outcome. */
  async recorded(entryId: string): Promise<{ kinds: string[]; outcome: unknown }> {
    const { records } = await this.admin.audit.query({ filter: { entryId } });
    const last: unknown = JSON.parse(records.at(-1)?.bodyJson ?? "{}");
    const outcome = typeof last === "object" && last !== null && "outcome" in last ? last.outcome : undefined;
    return { kinds: records.map(({ kind }) => kind), outcome };
  }

  /** Ids of all containers of the engine. */
  async containers(): Promise<string[]> {
    return (await listContainers(this.engine.docker)).map(({ Id }) => Id);
  }

  /** What there is of containers, in words that say how each is stuck, and what the engine said last. */
  async leftovers(): Promise<string[]> {
    const left = await listContainers(this.engine.docker);
    return left.length === 0
      ? []
      : [...left.map(({ Id, State, Status }) => `${Id.slice(0, 12)} ${State}: ${Status}`), this.engine.log];
  }

  /** Bounds the processes of all sandboxes together, as a full machine would. */
  boundProcesses(most: number | "max"): void {
    const file = [`/sys/fs/cgroup/pids/${this.#group}`, `/sys/fs/cgroup/${this.#group}`]
      .map((folder) => join(folder, "pids.max"))
      .find((path) => existsSync(path));
    if (file === undefined) throw new Error("no control group bounds processes here");
    writeFileSync(file, String(most));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sallyport?.remove();
    await this.engine[Symbol.asyncDispose]();
    for (const hierarchy of [".", ...readdirSync("/sys/fs/cgroup")])
      try {
        rmdirSync(join("/sys/fs/cgroup", hierarchy, this.#group));
      } catch {
        // Not every one has the group.
      }
  }
}

async function readOn(events: AsyncIterator<ExecEvent, undefined>): Promise<Ending> {
  let exits = 0;
  try {
    for (;;) {
      const { value } = await events.next();
      if (value === undefined) return { exits, error: undefined };
      if (value.kind === "exit") exits += 1;
    }
  } catch (error) {
    return { exits, error };
  }
}
