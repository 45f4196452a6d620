import { type Document, isSeq, parseDocument } from "yaml";
import { realpathSync } from "node:fs";
import { Problem } from "../model/problem.ts";
import type { Rule } from "../model/rule.ts";
import type { IndexWorld } from "../policy/rules/rule-index.ts";
import { type FileSource, findRule, loadPermissions } from "./load-permissions.ts";
import { type ConfigText, hashBytes, readConfigFile } from "./read-config-file.ts";
import { withFileLock } from "./with-file-lock.ts";
import { writeAtomically } from "./write-atomically.ts";

/** What a new rule says. */
export type RuleDraftEntry = Pick<Rule, "capability" | "match" | "exclude" | "methods" | "effect" | "because">;

/** A permissions file, and what it was when it was last read: an edit is refused where it is something else by now. */
export interface EditTarget {
  readonly file: string;
  /** The folder that it must not lead out of. */
  readonly root: string;
  readonly source: FileSource;
  readonly world: IndexWorld;
  /** Hash of the text that was read; undefined: there was no file. */
  readonly hash: string | undefined;
}

/** The file after an edit. */
export interface Edited {
  readonly text: ConfigText;
  readonly rules: readonly Rule[];
}

/**
 * Adds rules at the end of a permissions file, keeping its comments: all of them, or none.
 * @throws Problem `aborted` where the file changed since it was read or is being edited; ConfigProblem where the result would not load.
 */
export function addRulesToFile(target: EditTarget, entries: readonly RuleDraftEntry[]): Edited {
  return edit(target, (document) => {
    if (!isSeq(document.get("rules"))) document.set("rules", document.createNode([]));
    const rules = document.get("rules");
    if (!isSeq(rules)) return;
    rules.flow = false;
    for (const { capability, match, exclude, methods, effect, because } of entries)
      rules.add(
        document.createNode({
          capability,
          effect,
          match: [...match],
          ...(exclude.length === 0 ? {} : { exclude: [...exclude] }),
          ...(methods === undefined ? {} : { methods: [...methods] }),
          ...(because === undefined ? {} : { because }),
        }),
      );
  });
}

/**
 * Removes the rule with this id from a permissions file, keeping the comments of the others.
 * @throws Problem `not_found`, `aborted`; ConfigProblem where the result would not load.
 */
export function removeRuleFromFile(target: EditTarget, id: string): Edited {
  return edit(target, (document, text) => {
    const at = text === undefined ? undefined : findRule(text, target.source, id);
    if (at === undefined)
      throw new Problem("not_found", `rule_id: ${target.file} holds no rule ${id}`, { field: "rule_id" });
    document.deleteIn(["rules", at]);
  });
}

function edit(target: EditTarget, change: (document: Document, text: ConfigText | undefined) => void): Edited {
  return withFileLock(target.file, () => {
    const before = readConfigFile(target.file, target.root);
    if (before?.hash !== target.hash)
      throw new Problem("aborted", `${target.file} changed since it was read; look at it and try again`);
    const document = open(before);
    change(document, before);
    const text = print(document, target.file);
    const after = { file: target.file, text, hash: hashBytes(text) };
    // Checked before it is written: what would not load again never reaches the disk.
    const rules = loadPermissions(after, target.source, target.world);
    // Where the file is a link, it stays one.
    writeAtomically(before === undefined ? target.file : realpathSync(target.file), text);
    return { text: after, rules };
  });
}

function open(text: ConfigText | undefined): Document {
  const document: Document = parseDocument(text?.text ?? "", { version: "1.2", schema: "core", merge: false });
  if (document.contents === null) document.contents = document.createNode({});
  return document;
}

function print(document: Document, file: string): string {
  try {
    return document.toString({ lineWidth: 0 });
  } catch (cause) {
    throw new Problem("failed_precondition", `${file} cannot be edited: an anchor would be left without its rule`, {
      cause,
    });
  }
}
