import { resolve } from "node:path";
import { ModeSchema } from "../../gen/sallyport/v1/common_pb.ts";
import { SallyportError } from "../client/sallyport-error.ts";
import { enumValue } from "../text/words.ts";
import type { ActionContext } from "./client-action.ts";
import type { SessionOptions } from "./common-options.ts";

/**
 * The session to act in: the one that `--session` names, the session `cli` of `--workspace` or with `--mode`, otherwise empty, which is the caller's default
 * session. @throws SallyportError
 */
export async function sessionId({ client, command, callOptions }: ActionContext): Promise<string> {
  const { session, workspace, mode } = command.opts<SessionOptions>();
  if (session !== undefined) {
    if (workspace !== undefined || mode !== undefined)
      throw new SallyportError(
        "invalid_argument",
        "--session goes without --workspace and --mode; see `sallyport sessions mode`",
        {
          field: "session",
        },
      );
    return session;
  }
  if (workspace === undefined && mode === undefined) return "";
  const wanted = enumValue(ModeSchema, mode);
  const opened = await client.sessions.open(
    { workspace: workspace === undefined ? "" : resolve(workspace), key: "cli", mode: wanted },
    callOptions,
  );
  const found = opened.session;
  if (found === undefined) throw new SallyportError("data_loss", "the server opened a session without saying which");
  if (mode !== undefined && found.mode !== wanted)
    await client.sessions.update({ sessionId: found.id, mode: wanted }, callOptions);
  return found.id;
}
