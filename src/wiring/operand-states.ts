import { contentState } from "../files/content-state.ts";
import { entryState, folderState } from "../files/file-state.ts";
import { type AbsolutePath, resolvePath } from "../model/absolute-path.ts";
import type { Action, ExecAction } from "../model/action.ts";
import type { Decision } from "../model/decision.ts";
import type { FileState } from "../model/gate-ports.ts";

/** Bytes of one file, and of all, whose content is read; beyond that, inode and times stand for it. */
const mostBytes = 1024 * 1024;
const mostBytesTogether = 8 * mostBytes;

/**
 * What the files and folders are now on which a person's answer rests. Of a command the folder that it runs in and those that it is shown, and with an unseen part what it hands to
 * programs, by content: the files that its words name, and those that it reads. Of a change of files, what it changes or takes away: the person was shown that.
 *
 * Not seen: files that no word names, such as a Makefile, words behind a `cd` inside the command, and what changes deep in a folder.
 */
export function operandStates(judged: { readonly decision: Decision; readonly action: Action }): readonly FileState[] {
  const { action } = judged;
  switch (action.kind) {
    case "exec":
      return [...foldersOf(action), ...operandsOf(action, judged.decision)];
    case "write":
      // What others add meanwhile is no other plan.
      return action.disposition === "append" ? [] : statesOf([action.path]);
    case "edit":
    case "remove":
      return statesOf([action.path]);
    case "move":
    case "copy":
      return statesOf([action.from, action.to]);
    default:
      return [];
  }
}

function statesOf(paths: readonly AbsolutePath[]): readonly FileState[] {
  return paths.map((path) => ({ kind: "file", path, state: entryState(path) ?? "nothing" }));
}

function foldersOf({ cwd, scopes }: ExecAction): readonly FileState[] {
  const paths = new Set([cwd, ...scopes.map(({ root }) => root)]);
  return [...paths].map((path) => ({ kind: "folder", path, state: folderState(path) ?? "nothing" }));
}

function operandsOf(action: ExecAction, decision: Decision): readonly FileState[] {
  const effects = decision.findings.map(({ effect }) => effect);
  if (!effects.some(({ kind }) => kind === "opaque")) return [];
  const paths = new Set<AbsolutePath>();
  for (const effect of effects) {
    if (effect.kind === "read" && effect.exact) paths.add(effect.path);
    if (effect.kind !== "run") continue;
    for (const word of effect.argv) {
      const path = resolvePath(action.cwd, word);
      if (path !== undefined) paths.add(path);
    }
  }
  let left = mostBytesTogether;
  return [...paths].map((path) => {
    const { state, bytes } = contentState(path, Math.min(left, mostBytes));
    left -= bytes;
    return { kind: "file", path, state };
  });
}
