import type { ExecAction } from "../model/action.ts";
import type { SessionId } from "../model/ids.ts";
import { Permit } from "../model/permit.ts";
import { Problem } from "../model/problem.ts";
import type { InsideConnection, Process } from "../model/runtime.ts";
import { bashPath, commandLine } from "./command-line.ts";
import { commandEnv } from "./command-env.ts";
import type { ImagedSpec } from "./imaged-spec.ts";
import { mountKey } from "./mount-key.ts";
import { spareSession } from "./spare-session.ts";
import type { WarmSandbox } from "./warm-sandbox.ts";
import type { Link } from "./link.ts";
import type { ProcessBounds } from "./process-channel.ts";
import { spawnLimits } from "./spawn-limits.ts";
import { trustVariables } from "./trusted-authorities.ts";

/** What holds for every command of a sandbox. */
export interface SandboxDefaults {
  /** For a command that names none; does not hold for background commands. Milliseconds. */
  readonly timeoutMs: number;
  /** For a command that names none; does not hold for background commands. Bytes. */
  readonly outputBytes: number;
  readonly killDeadlineMs: number;
  readonly startDeadlineMs: number;
}

/** From SIGTERM to SIGKILL for a command that names no grace period. Milliseconds. */
const defaultGraceMs = 2000;

/** What a sandbox knows of its image. */
export interface ImageFacts {
  /** PATH that the image sets; undefined: none. */
  readonly path: string | undefined;
  readonly hasBash: boolean;
  /** Path inside of a file with the authorities that programs are to trust; absent: they trust those of the image. */
  readonly authorities?: string | undefined;
}

/** What a runtime has booted. */
export interface Booted {
  readonly id: string;
  readonly link: Link;
  readonly image: ImageFacts;
  /** Removes it; resolves when it is gone, or when nobody will tell. */
  readonly remove: () => Promise<void>;
  /** Whether what it shows is what lies at the granted paths now. */
  readonly isCurrent: () => Promise<boolean>;
  /** Whether what it must keep from commands is kept now. */
  readonly isGuarded: () => boolean;
}

/** A running sandbox of any runtime: what its link serves, and how it is removed. */
export class LinkedSandbox implements WarmSandbox {
  readonly id: string;
  #spec: ImagedSpec;
  readonly #isCurrent: () => Promise<boolean>;
  readonly #isGuarded: () => boolean;
  readonly #link: Link;
  readonly #image: ImageFacts;
  readonly #defaults: SandboxDefaults;
  /** What every command has, whatever it sets. */
  readonly #always: Readonly<Record<string, string>>;
  /** Of commands that set no variables and have no terminal, which are most. */
  readonly #plainEnv: readonly string[];
  readonly #remove: () => Promise<void>;
  #usedAt = performance.now();
  #onIdle: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(spec: ImagedSpec, { id, link, image, remove, isCurrent, isGuarded }: Booted, defaults: SandboxDefaults) {
    this.id = id;
    this.#spec = spec;
    this.#isCurrent = isCurrent;
    this.#isGuarded = isGuarded;
    this.#link = link;
    this.#image = image;
    this.#defaults = defaults;
    const { authorities } = image;
    this.#always = { ...(authorities === undefined ? {} : trustVariables(authorities)), ...spec.variables };
    this.#plainEnv = commandEnv({ env: {} }, spec.home, image.path, this.#always);
    this.#remove = remove;
    // However the stream ends, the container goes too.
    void link.gone.then(() => this.close());
    link.onIdle(() => {
      this.touch();
      this.#onIdle();
    });
  }

  get spec(): ImagedSpec {
    return this.#spec;
  }

  get gone(): Promise<string> {
    return this.#link.gone;
  }

  get idleMs(): number {
    return this.#link.running > 0 ? 0 : performance.now() - this.#usedAt;
  }

  get isGuarded(): boolean {
    return this.#isGuarded();
  }

  touch(): void {
    this.#usedAt = performance.now();
  }

  onIdle(handler: () => void): void {
    this.#onIdle = handler;
  }

  async giveTo(session: SessionId): Promise<boolean> {
    if (this.#spec.session !== spareSession()) throw new Problem("internal", "the sandbox is somebody's already");
    if (!(await this.#isCurrent())) return false;
    this.#spec = { ...this.#spec, session };
    this.#link.belongTo(session);
    this.touch();
    return true;
  }

  async spawn(permit: Permit<ExecAction>, signal: AbortSignal): Promise<Process> {
    const action = Permit.redeem(permit, "exec");
    this.#check(action);
    if (signal.aborted) throw new Problem("cancelled", "cancelled before the command started");
    const process = this.#link.spawn(
      {
        argv: commandLine(action.command),
        cwd: action.cwd,
        env: this.#env(action),
        stdin: action.stdin,
        ...(action.pty === undefined ? {} : { pty: action.pty }),
        limits: spawnLimits(action.limits, this.spec.limits),
      },
      this.#bounds(action),
    );
    const abort = (): void => process.abandon();
    signal.addEventListener("abort", abort, { once: true });
    void process.ended.then(() => signal.removeEventListener("abort", abort));
    await process.started;
    return process;
  }

  onConnection(handler: (connection: InsideConnection) => void): void {
    this.#link.onConnection(handler);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#link.end("closed");
    // Nobody waits for most closings, and one that fails must not end the sidecar: the next start's sweep finds what is left.
    await this.#remove().catch(() => {});
  }

  #env(action: ExecAction): readonly string[] {
    const plain = action.pty === undefined && Object.keys(action.env).length === 0;
    return plain ? this.#plainEnv : commandEnv(action, this.spec.home, this.#image.path, this.#always);
  }

  /** What was judged must be what this container is: the permit names session, mounts and image. */
  #check(action: ExecAction): void {
    if (action.session !== this.spec.session) throw new Problem("internal", "a permit of another session");
    if (action.image !== undefined && action.image !== this.spec.image)
      throw new Problem("internal", "a permit for another image");
    if (mountKey(action.scopes) !== mountKey(this.spec.scopes))
      throw new Problem(
        "failed_precondition",
        "the sandbox was made for other scopes than were judged: ask for a new one",
      );
    if (action.command.kind === "shell" && !this.#image.hasBash)
      throw new Problem(
        "failed_precondition",
        `image: ${this.spec.image} has no ${bashPath}, so shell text cannot run in it: send argv, or use an image with bash`,
        {
          field: "image",
        },
      );
  }

  #bounds(action: ExecAction): ProcessBounds {
    const { timeoutMs, outputBytes, idleMs, endAtOutput, graceMs } = action.limits;
    const { killDeadlineMs, startDeadlineMs } = this.#defaults;
    return {
      timeoutMs: timeoutMs > 0 ? timeoutMs : action.background ? undefined : this.#defaults.timeoutMs,
      idleMs,
      outputBytes: outputBytes > 0 ? outputBytes : action.background ? undefined : this.#defaults.outputBytes,
      pastOutput: endAtOutput === true ? "end" : "drop",
      graceMs: graceMs ?? defaultGraceMs,
      killDeadlineMs,
      startDeadlineMs,
    };
  }
}
