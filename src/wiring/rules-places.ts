import type { RulesPlace } from "../approvals/open-question.ts";
import type { ConfigPaths } from "../config/config-paths.ts";
import type { Subject } from "../model/subject.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { innerCaller } from "./inner-caller.ts";

/** The files that an "always" may write to, the user's first. */
export function rulesPlaces(
  paths: ConfigPaths,
  sessions: Pick<Sessions, "get">,
): (subject: Subject) => readonly RulesPlace[] {
  return ({ session }) => [
    { file: "user", path: paths.user },
    { file: "workspace", path: paths.workspace(sessions.get(innerCaller(), session).workspace) },
  ];
}
