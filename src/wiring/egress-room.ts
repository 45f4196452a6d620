import type { DatabaseSync } from "node:sqlite";
import type { Logger } from "pino";
import type { EgressMode } from "../config/load-settings.ts";
import type { Permissions } from "../config/permissions.ts";
import type { AddressRules } from "../egress/address-rules.ts";
import { createFetcher, type Fetcher, type FetcherOptions } from "../egress/fetcher.ts";
import { createInterception } from "../egress/intercepting/interception.ts";
import { createMeter, type Meter } from "../egress/meter.ts";
import { createProxy, type Proxy } from "../egress/proxy.ts";
import type { RequestLine } from "../egress/request-line.ts";
import { createResolve, defaultResolverOptions } from "../egress/resolve.ts";
import { parseUpstreamProxy } from "../egress/upstream-proxy.ts";
import type { Gate } from "../gate/gate.ts";
import type { Judge } from "../model/gate-ports.ts";
import type { AgentId, SessionId } from "../model/ids.ts";
import type { ConnectIntent, FetchIntent } from "../model/intent.ts";
import { Problem } from "../model/problem.ts";
import type { SandboxSpec } from "../model/runtime.ts";
import type { Session } from "../model/session.ts";
import type { Subject } from "../model/subject.ts";
import type { Agents } from "../sessions/agents.ts";
import { createEgressCounts } from "../sessions/egress-counts.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { authorityOfTls, credentialsOf, placeholderVariables } from "./credentials.ts";
import { type EgressModeOf, reported, withEgressModes } from "./egress-modes.ts";
import type { Places } from "./places.ts";
import { proxyDoor } from "./proxy-door.ts";
import type { RelayTable } from "./relay-table.ts";
import { trustedAuthorities } from "./trusted-authorities.ts";
import { wantedHosts } from "./wanted-hosts.ts";

/** What the way out is put together from. */
export interface EgressRoomParts {
  readonly places: Places;
  readonly rules: AddressRules;
  /** The judge without modes; the gate's has them. */
  readonly judge: Judge;
  readonly gate: Gate;
  readonly sessions: Sessions;
  readonly agents: Agents;
  readonly permissions: Pick<Permissions, "rules">;
  readonly relays: RelayTable;
  readonly database: DatabaseSync;
  readonly log: Logger;
}

/** The way out, for commands and for Fetch. */
export interface EgressRoom {
  readonly proxy: Proxy;
  readonly fetcher: Fetcher;
  /** What the programs of a session trust and see beside the usual; undefined: nothing. */
  trustOf(session: SessionId): Promise<Pick<SandboxSpec, "authority" | "variables"> | undefined>;
  /** Forgets what was made for a session that ended. */
  forget(session: SessionId): void;
  /** What an agent has used of its limits. */
  used: Meter["used"];
  /** Stores what is counted; for the end. */
  flush(): void;
}

/** The mode of each agent on the way out, by the settings. */
export function egressModeOf({ settings }: Places): EgressModeOf {
  return (agent: AgentId): EgressMode => settings.agentEgress.get(agent) ?? "enforce";
}

/** How the settings say that the outside is reached: whoever reaches for it goes this way. @throws Problem or EgressProblem for settings that cannot be had */
export function wayOutOf({ settings, secrets }: Places): Pick<FetcherOptions, "resolve" | "ca" | "upstream"> {
  const { egressProxy, egressProxyLogin } = settings;
  if (egressProxy === undefined && egressProxyLogin !== undefined)
    throw new Problem("failed_precondition", "egress.proxy_login: there is no egress.proxy that would want it");
  const login = egressProxyLogin === undefined ? undefined : (secrets.get(egressProxyLogin) ?? "");
  return {
    resolve: createResolve({
      ...defaultResolverOptions,
      servers: settings.resolver === undefined ? [] : [settings.resolver],
    }),
    ca: trustedAuthorities(settings.egressCa),
    upstream: egressProxy === undefined ? undefined : parseUpstreamProxy(egressProxy, login),
  };
}

/** Puts proxy and fetcher together by the settings: one resolver, one guard, one meter. @throws Problem or EgressProblem for settings that cannot be had */
export function egressRoom({
  places,
  rules,
  judge,
  gate,
  sessions,
  agents,
  permissions,
  relays,
  database,
  log,
}: EgressRoomParts): EgressRoom {
  const { settings, secrets } = places;
  const modeOf = egressModeOf(places);
  const counts = createEgressCounts(database);
  const onRequest = (line: RequestLine): void => log.info(line, "egress");
  const credentials = credentialsOf(settings, secrets);
  const inside = (id: SessionId): Session => sessions.inside(id, (agent) => agents.tierOf(agent));
  const wanted = wantedHosts(permissions, inside);
  const interception = createInterception({ hosts: settings.egressInspect.map(authorityOfTls), wanted, credentials });
  const variables = placeholderVariables(settings, credentials);
  const meter = createMeter({
    ...settings.egressLimits,
    agentOf: (id) => inside(id).subject.agent,
    now: () => Date.now(),
    counts,
  });
  const shared = {
    ...wayOutOf(places),
    rules,
    onRequest,
    interception,
    meter,
  };
  const wouldRefuse = (subject: Subject, intent: FetchIntent | ConnectIntent): string | undefined =>
    modeOf(subject.agent) === "report" ? reported(judge.judge(subject, intent), "report") : undefined;
  const proxy = createProxy({
    ...shared,
    encryptedHello: settings.egressEch,
    admit: proxyDoor({
      gate,
      judge: withEgressModes(judge, modeOf),
      reported: wouldRefuse,
      looksInto: (id, { host, port }) => wanted(id).covers(host, port),
      sessions,
      agents,
      relays,
    }),
  });
  return {
    proxy,
    fetcher: createFetcher({
      ...shared,
      wouldRefuse: (action) => wouldRefuse(inside(action.session).subject, action),
    }),
    async trustOf(session) {
      if (!interception.concerns(session)) return undefined;
      const { certificate } = await interception.authorityOf(session);
      return { authority: certificate, variables };
    },
    forget: (session) => interception.forget(session),
    used: (agent) => meter.used(agent),
    flush: () => counts.flush(),
  };
}
