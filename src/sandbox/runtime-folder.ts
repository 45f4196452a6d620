import { createHash, randomBytes } from "node:crypto";
import { chmod, copyFile, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AbsolutePath, parseAbsolutePath } from "../model/absolute-path.ts";
import { Problem } from "../model/problem.ts";
import type { Accounts } from "./accounts.ts";
import { HeldNames, type Holds, removeHeld } from "./held-names.ts";

/** In a start's own folder. */
const heldJournal = "held-names";

const instanceName = /^[0-9a-f]{16}$/;

/** A file that goes with its sandbox. */
export interface SandboxFile {
  readonly path: string;
  remove(): Promise<void>;
}

/** One start's own part of the runtime folder: copies of what sandboxes are given, and their one-shot sockets. No sandbox ever shows it. */
export class RuntimeFolder {
  /** Tells this start from others, in names and labels: 16 hexadecimal digits. */
  readonly instance = randomBytes(8).toString("hex");
  readonly #folder: string;
  readonly #files = new Map<string, Promise<string>>();
  readonly #held: HeldNames;

  /** `folder`: short-pathed, of this Sallyport alone; made with mode 0700 where it is missing. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#held = new HeldNames(join(this.path, heldJournal));
  }

  /** Names that one sandbox keeps taken. */
  holds(): Holds {
    return this.#held.begin();
  }

  /** Where this start's files lie. */
  get path(): string {
    return join(this.#folder, this.instance);
  }

  /** What every sandbox must mask. @throws Problem `internal` where it is no absolute path. */
  get hidden(): AbsolutePath {
    const parsed = parseAbsolutePath(this.#folder);
    if (parsed === undefined) throw new Problem("internal", "the runtime folder is no absolute path");
    return parsed;
  }

  /**
   * Path of a copy of init. Init may lie in a folder that a scope grants; what is mounted is a copy that no command can reach.
   * @throws Problem `failed_precondition`
   */
  initCopy(initPath: string): Promise<string> {
    return this.#once("init", `run \`make\` so that ${initPath} exists`, async (to) => {
      await copyFile(initPath, to);
      await chmod(to, 0o755);
    });
  }

  /** Path of a small file with that content, readable for everybody who is shown it. @throws Problem `failed_precondition` */
  file(name: string, content: string | Uint8Array): Promise<string> {
    return this.#once(name, "is there room on the disk?", async (to) => {
      await writeFile(to, content);
      await chmod(to, 0o444);
    });
  }

  /** A file with that content for one sandbox, readable for everybody who is shown it. @throws Problem `failed_precondition` */
  async sandboxFile(content: string): Promise<SandboxFile> {
    const name = `sandbox-${randomBytes(8).toString("hex")}`;
    const path = await this.file(name, content);
    return {
      path,
      remove: async () => {
        this.#files.delete(name);
        await rm(path, { force: true });
      },
    };
  }

  /** Paths of files with these accounts. @throws Problem `failed_precondition` */
  async accounts({ passwd, group }: Accounts): Promise<Accounts> {
    const file = (kind: string, text: string): Promise<string> =>
      this.file(`${kind}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`, text);
    const [passwdFile, groupFile] = await Promise.all([file("passwd", passwd), file("group", group)]);
    return { passwd: passwdFile, group: groupFile };
  }

  /** Removes what earlier starts left, the names that they kept taken as well. */
  async removeOld(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names)
      if (instanceName.test(name) && name !== this.instance) {
        const old = join(this.#folder, name);
        await removeHeld(join(old, heldJournal));
        await rm(old, { recursive: true, force: true });
      }
  }

  #once(name: string, hint: string, make: (to: string) => Promise<void>): Promise<string> {
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const making = this.#make(name, hint, make);
    this.#files.set(name, making);
    return making;
  }

  async #make(name: string, hint: string, make: (to: string) => Promise<void>): Promise<string> {
    try {
      await mkdir(this.path, { recursive: true, mode: 0o700 });
      await chmod(this.#folder, 0o700);
      const path = join(this.path, name);
      await make(path);
      return path;
    } catch (cause) {
      this.#files.delete(name);
      throw new Problem("failed_precondition", `${name} cannot be put into ${this.#folder}: ${hint}`, { cause });
    }
  }
}
