import { mkdirSync } from "node:fs";
import { type AbsolutePath, parentOf, resolvePath, rootPath } from "../model/absolute-path.ts";
import type { AgentId } from "../model/ids.ts";
import type { Rule } from "../model/rule.ts";
import type { IndexWorld } from "../policy/rules/rule-index.ts";
import type { ConfigFault } from "./config-fault.ts";
import type { ConfigPaths } from "./config-paths.ts";
import { addRulesToFile, removeRuleFromFile, type RuleDraftEntry } from "./edit-permissions.ts";
import { FolderWatcher } from "./folder-watcher.ts";
import type { FileSource } from "./load-permissions.ts";
import { RuleFile } from "./rule-file.ts";

/** Stands for the workspace while a file that serves several is checked: its relative patterns are resolved anew for each session. */
const anyWorkspace = resolvePath(rootPath, "workspace");

/** What happened to a permissions file. */
export interface ReloadReport {
  readonly file: string;
  /** Empty: it was loaded. Otherwise the rules from before are kept. */
  readonly faults: readonly ConfigFault[];
  /** Rules that hold from this file now. */
  readonly rules: number;
}

/** What the permissions are made of. */
export interface PermissionsOptions {
  readonly paths: ConfigPaths;
  readonly home: AbsolutePath;
  /** Follows links of rule paths, as Facts do; a rule about a linked folder holds for its real place too. */
  readonly real: IndexWorld["real"];
  /** Told of every reload and of every broken edit, once. */
  onReload(report: ReloadReport): void;
}

/** A place that a rule can be written to. */
export type RulePlace =
  | { readonly source: "user" }
  | { readonly source: "workspace"; readonly workspace: AbsolutePath };

/** The rules in files, reloaded when they change. A broken edit keeps the rules that were good. */
export interface Permissions {
  /**
   * Managed, user, workspace and agent rules, in this order; the same list until one of them changes.
   * @throws ConfigProblem where a file of this workspace or agent was broken when it was first needed: nothing is judged without its rules.
   */
  rules(workspace: AbsolutePath, agent: AgentId): readonly Rule[];
  /** @throws Problem `aborted` where the file changed since it was read, ConfigProblem where the rule is not good. */
  add(place: RulePlace, rule: RuleDraftEntry): Rule;
  /** The same for several: all of them, or none. */
  addAll(place: RulePlace, rules: readonly RuleDraftEntry[]): readonly Rule[];
  /** The rules of one file. @throws ConfigProblem where it was broken when it was first needed. */
  of(place: RulePlace): readonly Rule[];
  /** @throws Problem `not_found`, `aborted`. */
  remove(place: RulePlace, id: string): void;
  /** What is wrong with the files and their watching now, for people; empty where all is well. */
  faults(): readonly ConfigFault[];
  /** Looks at all files now, as on SIGHUP. */
  reload(): void;
  close(): void;
}

/** The rules of several files as one list, as long as none of them has others. */
interface Combined {
  readonly files: readonly RuleFile[];
  readonly parts: readonly (readonly Rule[])[];
  readonly rules: readonly Rule[];
}

/**
 * Loads managed and user rules and watches their folders.
 * @throws ConfigProblem where one is broken: there is no last good state at the start.
 */
export function openPermissions(options: PermissionsOptions): Permissions {
  const { paths, home } = options;
  const files = new Map<AbsolutePath, RuleFile>();
  /** By agent and workspace. Files that were opened once stay the same objects. */
  const combined = new Map<string, Combined>();
  /** Folders that are not heard of any more; they stay so until the next start. */
  const unwatched: ConfigFault[] = [];
  const watcher = new FolderWatcher(look, (folder, error) => {
    const fault = { file: folder, line: 0, column: 0, message: `is not watched any more: ${error.message}` };
    unwatched.push(fault);
    options.onReload({ file: folder, faults: [fault], rules: 0 });
  });

  function open(file: AbsolutePath, source: FileSource, workspace: AbsolutePath | undefined): RuleFile {
    const known = files.get(file);
    if (known !== undefined) return known;
    if (source !== "managed") mkdirSync(parentOf(file), { recursive: true, mode: 0o700 });
    // Watched first: a change between reading and watching must not be missed.
    watcher.add(parentOf(file));
    const opened = new RuleFile(file, source === "managed" ? parentOf(file) : paths.folder, source, {
      home,
      workspace: workspace ?? anyWorkspace,
      real: options.real,
    });
    files.set(file, opened);
    return opened;
  }

  function look(): void {
    for (const file of files.values()) {
      const found = file.look();
      if (found.kind === "gone") watcher.again();
      if (found.kind === "loaded" || found.kind === "broken")
        options.onReload({ file: file.file, faults: file.faults, rules: file.rules.length });
    }
  }

  function fileOf(place: RulePlace): RuleFile {
    return place.source === "user"
      ? open(paths.user, "user", undefined)
      : open(paths.workspace(place.workspace), "workspace", place.workspace);
  }

  function addAll(place: RulePlace, rules: readonly RuleDraftEntry[]): readonly Rule[] {
    const file = fileOf(place);
    const edited = addRulesToFile(file, rules);
    file.replace(edited.rules, edited.text.hash);
    return edited.rules.slice(-rules.length);
  }

  function shared(): RuleFile[] {
    return [...paths.managed.map((file) => open(file, "managed", undefined)), open(paths.user, "user", undefined)];
  }

  function filesOf(workspace: AbsolutePath, agent: AgentId): readonly RuleFile[] {
    return [
      ...shared(),
      open(paths.workspace(workspace), "workspace", workspace),
      open(paths.agent(agent), "agent", undefined),
    ];
  }

  try {
    shared();
  } catch (error) {
    watcher.close();
    throw error;
  }

  return {
    rules(workspace, agent) {
      const key = `${agent} ${workspace}`;
      const before = combined.get(key);
      if (before?.files.every((file, at) => file.rules === before.parts[at]) === true) return before.rules;
      const files = before?.files ?? filesOf(workspace, agent);
      const parts = files.map((file) => file.rules);
      const rules = parts.flat();
      combined.set(key, { files, parts, rules });
      return rules;
    },
    add(place, rule) {
      const [added] = addAll(place, [rule]);
      if (added === undefined) throw new Error("an edit lost the rule that it added");
      return added;
    },
    addAll,
    of: (place) => fileOf(place).rules,
    remove(place, id) {
      const file = fileOf(place);
      const edited = removeRuleFromFile(file, id);
      file.replace(edited.rules, edited.text.hash);
    },
    faults: () => [...[...files.values()].flatMap((file) => file.faults), ...unwatched],
    reload: look,
    close: () => watcher.close(),
  };
}
