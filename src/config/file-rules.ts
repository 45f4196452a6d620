import type { AgentId } from "../model/ids.ts";
import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Rule } from "../model/rule.ts";
import type { IndexWorld } from "../policy/rules/rule-index.ts";
import type { ConfigPaths } from "./config-paths.ts";
import { type FileSource, loadPermissions } from "./load-permissions.ts";
import { readConfigFile } from "./read-config-file.ts";

/** The rules that the files hold now for a workspace and an agent, read once, in the order of their sources. @throws ConfigProblem where one is broken. */
export function fileRules(
  paths: ConfigPaths,
  world: IndexWorld & { readonly workspace: AbsolutePath },
  agent: AgentId,
): readonly Rule[] {
  const read = (source: FileSource, file: AbsolutePath, root?: AbsolutePath): readonly Rule[] => {
    const text = readConfigFile(file, root);
    return text === undefined ? [] : loadPermissions(text, source, world);
  };
  return [
    ...paths.managed.flatMap((file) => read("managed", file)),
    ...read("user", paths.user, paths.folder),
    ...read("workspace", paths.workspace(world.workspace), paths.folder),
    ...read("agent", paths.agent(agent), paths.folder),
  ];
}
