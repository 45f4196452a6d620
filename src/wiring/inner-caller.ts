import { parseAgentId } from "../model/ids.ts";
import { type Caller, parseChannel } from "../model/subject.ts";

/** Who the rooms behind the door are to the sessions: the local admin, who sees all. */
export function innerCaller(): Caller {
  const agent = parseAgentId("local");
  const channel = parseChannel("socket");
  if (agent === undefined || channel === undefined) throw new Error("the local admin has no valid name");
  return { agent, channel, role: "admin", isAgent: false, tier: "full" };
}
