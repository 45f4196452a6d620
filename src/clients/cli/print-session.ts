import { ModeSchema, TierSchema } from "../../gen/sallyport/v1/common_pb.ts";
import { SessionSchema, type Session } from "../../gen/sallyport/v1/sessions_pb.ts";
import { scopeCells, scopeWords } from "../text/scope-words.ts";
import { fields, table } from "../text/table.ts";
import { visible } from "../text/visible.ts";
import { enumWord } from "../text/words.ts";
import type { ActionContext } from "./client-action.ts";
import { printRows } from "./print-rows.ts";

/** Prints sessions, one a line, with the folders that each has besides its workspace. */
export function printSessions(context: ActionContext, sessions: readonly Session[]): Promise<void> {
  const heading = ["session", "agent", "channel", "key", "mode", "tier", "workspace", "further folders"];
  return printRows(context, SessionSchema, sessions, heading, (session) => [
    session.id,
    session.agent,
    session.channel,
    session.key,
    modeWord(session),
    enumWord(TierSchema, session.tier),
    session.workspace,
    session.scopes
      .filter(({ root }) => root !== session.workspace)
      .map(scopeWords)
      .join(", "),
  ]);
}

/** Prints one session with its folders, the workspace first. Nothing where there is none. */
export async function printSession(
  { json, stdout, paint }: ActionContext,
  session: Session | undefined,
): Promise<void> {
  if (session === undefined) return;
  if (json) return stdout.message(SessionSchema, session);
  const about = fields(
    [
      ["session", session.id],
      ["agent", visible(session.agent)],
      ["channel", visible(session.channel)],
      ["key", visible(session.key)],
      ["mode", modeWord(session)],
      ["tier", enumWord(TierSchema, session.tier)],
      ["image", visible(session.image)],
      ["opened", session.openedAt],
      ["last used", session.lastUsedAt],
    ],
    "",
  );
  const rows = session.scopes.map((scope) => scopeCells(scope).map(visible));
  const [heading = "", ...folders] = table([["folder", "access", "lasts", "expires"], ...rows]);
  await stdout.lines([...about, paint.dim(heading), ...folders]);
}

function modeWord({ mode, attended }: Session): string {
  return enumWord(ModeSchema, mode) + (attended ? "" : " (unattended)");
}
