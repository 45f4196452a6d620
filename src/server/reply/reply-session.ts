import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SessionSchema, StandingScopeSchema } from "../../gen/sallyport/v1/sessions_pb.ts";
import type { Session } from "../../model/session.ts";
import type { StandingScope } from "../ports/people.ts";
import { modeNumbers, tierNumbers } from "../words.ts";
import { replyScope } from "./reply-policy.ts";

/** A session as a message. */
export function replySession(session: Session): MessageInitShape<typeof SessionSchema> {
  const { subject } = session;
  return {
    id: subject.session,
    agent: subject.agent,
    channel: subject.channel,
    key: session.key,
    workspace: session.workspace,
    scopes: session.scopes.map(replyScope),
    mode: modeNumbers[subject.mode],
    tier: tierNumbers[subject.tier],
    attended: subject.attended,
    image: session.image ?? "",
    openedAt: session.openedAt.toISOString(),
    lastUsedAt: session.lastUsedAt.toISOString(),
  };
}

/** A folder that is granted always, as a message. */
export function replyStanding({
  agent,
  workspace,
  scope,
  grantedAt,
}: StandingScope): MessageInitShape<typeof StandingScopeSchema> {
  return { agent, workspace, scope: replyScope(scope), grantedAt: grantedAt.toISOString() };
}
