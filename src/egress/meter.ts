import type { SessionId } from "../model/ids.ts";
import { EgressProblem } from "./egress-problem.ts";

/** Counts what each agent does on the way out, over all its sessions. In memory: a restart forgets it. */
export interface Meter {
  /** What speaks against a connection more, where today's bytes are used up: `limit_bytes`, with the seconds to wait. */
  objection(session: SessionId): EgressProblem | undefined;
  /** Counts a request. @throws EgressProblem `limit_rate` or `limit_bytes`, with the seconds to wait */
  begin(session: SessionId): void;
  /** Counts bytes of either direction. False once they are more than the day's: what moves them is to be cut. */
  add(session: SessionId, bytes: number): boolean;
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
}

const day = 86_400_000;
const minute = 60_000;

/** What is known of one agent. `allowance` are requests that it may make at once, as of `at`. */
interface Count {
  allowance: number;
  at: number;
  day: number;
  bytes: number;
}

/** Makes a meter. Requests are let through as long as a minute's worth has not been used up; used ones come back evenly. */
export function createMeter({ requestsPerMinute, bytesPerDay, agentOf, now }: MeterOptions): Meter {
  const counts = new Map<string, Count>();
  const countOf = (session: SessionId): Count => {
    const time = now();
    const key = keyOf(session, agentOf);
    const count = counts.get(key) ?? { allowance: requestsPerMinute, at: time, day: 0, bytes: 0 };
    counts.set(key, count);
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
  };
}

function keyOf(session: SessionId, agentOf: (session: SessionId) => string): string {
  try {
    return `agent ${agentOf(session)}`;
  } catch {
    return `session ${session}`;
  }
}
