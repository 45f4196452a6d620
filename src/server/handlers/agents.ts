import { AgentsService } from "../../gen/sallyport/v1/agents_pb.ts";
import { requireAdmin } from "../authority.ts";
import { decodeAgentId, decodeTokenAgent } from "../decode/ids.ts";
import { type Route, unary } from "../glue/route.ts";
import { provenDoor } from "../glue/wiring.ts";
import type { Ports } from "../ports.ts";
import { whole } from "../reply/reply-exit.ts";
import { tierNumbers, wordOr } from "../words.ts";

/** Agents and their tokens, for admins. */
export function agentsRoutes({ agents }: Pick<Ports, "agents">): readonly Route[] {
  const { list, createToken, revokeTokens, usage } = AgentsService.method;
  return [
    unary(provenDoor, list, async (_request, { caller }) => {
      requireAdmin(caller, "the list of agents");
      const found = await agents.list();
      return {
        agents: found.map(({ name, tier, createdAt, tokens }) => ({
          name,
          tier: tierNumbers[tier],
          createdAt: createdAt.toISOString(),
          tokens,
        })),
      };
    }),
    unary(provenDoor, createToken, async (request, { caller }) => {
      requireAdmin(caller, "a token");
      const agent = decodeTokenAgent("agent", request.agent);
      return { token: await agents.createToken(agent, wordOr("tier", tierNumbers, request.tier, undefined), caller) };
    }),
    unary(provenDoor, revokeTokens, async (request, { caller }) => {
      requireAdmin(caller, "revoking tokens");
      return { revoked: await agents.revokeTokens(decodeTokenAgent("agent", request.agent), caller) };
    }),
    unary(provenDoor, usage, async (request, { caller }) => {
      requireAdmin(caller, "an agent's use");
      const used = await agents.usage(decodeAgentId("agent", request.agent));
      return {
        requests: whole(used.requests),
        refused: whole(used.refused),
        commands: whole(used.commands),
        bytes: whole(used.bytes),
        budgets: used.budgets.map(({ name, unit, ...amounts }) => ({
          name,
          unit,
          used: whole(amounts.used),
          limit: whole(amounts.limit),
        })),
      };
    }),
  ];
}
