import type { SessionId } from "../model/ids.ts";
import { EgressProblem } from "./egress-problem.ts";

/** Counts what each agent does on the way out, over all its sessions. */
export interface Meter {
  /** What speaks against a connection more, where today's bytes are used up: `limit_bytes`, with the seconds to wait. */
  objection(session: SessionId): EgressProblem | undefined;
  /** Counts a request. @throws EgressProblem `limit_rate` or `limit_bytes`, with the seconds to wait */
  begin(session: SessionId): void;
  /** Counts bytes of either direction. False once they are more than the day's: what moves them is to be cut. */
  add(session: SessionId, bytes: number): boolean;
  /** What an agent has used by now: requests that have not come back, and today's bytes. Counts nothing. */
  used(agent: string): { readonly requests: number; readonly bytes: number };
}

/** How much an agent may do. */
export interface MeterLimits {
  readonly requestsPerMinute: number;
  /** Bytes of both directions in one day (UTC), TLS and headers included. */
  readonly bytesPerDay: number;
}

/** What a meter is made with. */
export interface MeterOptions extends MeterLimits {
  /** Whose session it is. @throws where it is closed: it is counted by itself then */
  readonly agentOf: (session: SessionId) => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Where counts outlive a restart; undefined: nowhere. */
  readonly counts?: MeterCounts;
}

/** Keeps counts by agent. */
export interface MeterCounts {
  find(agent: string): Readonly<Count> | undefined;
  /** Has it stored soon. It is the count itself, so it says what is true when it is stored. */
  keep(agent: string, count: Readonly<Count>): void;
}

const day = 86_400_000;
const minute = 60_000;
/** Sessions whose agents are remembered. */
const mostOwners = 4096;

/** What is known of one agent. `allowance` are requests that it may make at once, as of `at` (milliseconds since 1970); `bytes` are those of `day` (days since 1970, UTC). */
export interface Count {
  allowance: number;
  at: number;
  day: number;
  bytes: number;
}

/** Makes a meter. Requests are let through as long as a minute's worth has not been used up; used ones come back evenly. */
export function createMeter({ requestsPerMinute, bytesPerDay, agentOf, now, counts }: MeterOptions): Meter {
  const known = new Map<string, Count>();
  // Whose a session is never changes, and this is asked for each piece of a body.
  const owners = new Map<SessionId, string>();
  const ownerOf = (session: SessionId): string | undefined => {
    const agent = owners.get(session) ?? agentOfSession(session, agentOf);
    if (owners.size >= mostOwners) owners.clear();
    if (agent !== undefined) owners.set(session, agent);
    return agent;
  };
  const countOf = (session: SessionId): Count => {
    const time = now();
    const agent = ownerOf(session);
    const key = agent === undefined ? `session ${session}` : `agent ${agent}`;
    const stored = (): Count => ({
      ...((agent === undefined ? undefined : counts?.find(agent)) ?? {
        allowance: requestsPerMinute,
        at: time,
        day: 0,
        bytes: 0,
      }),
    });
    const count = known.get(key) ?? stored();
    known.set(key, count);
    if (agent !== undefined) counts?.keep(agent, count);
    const back = (Math.max(0, time - count.at) * requestsPerMinute) / minute;
    count.allowance = Math.min(requestsPerMinute, count.allowance + back);
    count.at = time;
    const today = Math.floor(time / day);
    if (count.day !== today) count.bytes = 0;
    count.day = today;
    return count;
  };
  const objection = (session: SessionId): EgressProblem | undefined => {
    if (countOf(session).bytes <= bytesPerDay) return undefined;
    const wait = (day - (now() % day)) / 1000;
    return new EgressProblem("limit_bytes", `more than ${bytesPerDay} bytes today`, {}, wait);
  };
  return {
    objection,
    begin(session) {
      const spent = objection(session);
      if (spent !== undefined) throw spent;
      const count = countOf(session);
      if (count.allowance < 1) {
        const wait = ((1 - count.allowance) * minute) / requestsPerMinute;
        throw new EgressProblem("limit_rate", `more than ${requestsPerMinute} requests in a minute`, {}, wait / 1000);
      }
      count.allowance -= 1;
    },
    add(session, bytes) {
      const count = countOf(session);
      count.bytes += bytes;
      return count.bytes <= bytesPerDay;
    },
    used(agent) {
      const count = known.get(`agent ${agent}`) ?? counts?.find(agent);
      if (count === undefined) return { requests: 0, bytes: 0 };
      const time = now();
      const back = (Math.max(0, time - count.at) * requestsPerMinute) / minute;
      return {
        requests: Math.ceil(Math.max(0, requestsPerMinute - count.allowance - back)),
        bytes: count.day === Math.floor(time / day) ? count.bytes : 0,
      };
    },
  };
}

/** Undefined for a session that is closed: it is counted by itself then. */
function agentOfSession(session: SessionId, agentOf: (session: SessionId) => string): string | undefined {
  try {
    return agentOf(session);
  } catch {
    return undefined;
  }
}
