import { changeData, type Repo } from "./git-repo.ts";
import { optionTable } from "./option-table.ts";
import { parseOptions, type ParsedOptions } from "./parse-options.ts";
import { applyOptions, type Call } from "./program.ts";

/** What one command of git does. The call's words are those behind the command's name. */
export type GitCommand = (call: Call, repo: Repo) => void;

/** Reads the command's options by a table; paths in them start at the repository's folder of work. */
export function gitCommand(options: string, run: (parsed: ParsedOptions, repo: Repo, call: Call) => void): GitCommand {
  const table = optionTable(options);
  return (call, repo) => {
    const inside = { ...call, out: repo.at };
    const parsed = parseOptions(call.args, table);
    applyOptions(parsed, inside);
    run(parsed, repo, inside);
  };
}

/** A command whose doing cannot be seen from its words. */
export function unseenGit(why: string): GitCommand {
  return ({ out, name }, repo) => {
    changeData(repo);
    out.opaque(`${name}: ${why}`);
  };
}

/** Names, separated by blanks, with their command. */
export type GitFamily = readonly (readonly [names: string, command: GitCommand])[];
