import { createProxy, type Proxy } from "../../../src/egress/proxy.ts";
import type { AdmitConnection } from "../../../src/egress/proxying/admit.ts";
import type { ProxyLimits, ProxyOptions } from "../../../src/egress/proxying/proxy-options.ts";
import type { RequestLine } from "../../../src/egress/request-line.ts";
import type { EntryId, SessionId } from "../../../src/model/ids.ts";
import type { ConnectIntent } from "../../../src/model/intent.ts";
import type { Outcome } from "../../../src/model/outcome.ts";
import { Permit } from "../../../src/model/permit.ts";
import { listenInside } from "./inside-listener.ts";
import { denial, openLab, type Lab } from "./lab.ts";

/** A lab with a proxy that is reached as from inside a sandbox. */
export interface ProxyLab {
  readonly lab: Lab;
  readonly proxy: Proxy;
  /** Where the sandbox of session `s` finds the proxy. */
  readonly port: number;
  readonly intents: ConnectIntent[];
  readonly outcomes: Outcome[];
  /** What was said of each request that is over. */
  readonly lines: RequestLine[];
  /** Revokes what was admitted so far. */
  readonly revoke: () => void;
  /** Opens a door for another session. */
  readonly doorFor: (session: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

export async function openProxyLab(
  limits: Partial<ProxyLimits> = {},
  gate?: AdmitConnection,
  more: Pick<ProxyOptions, "interception" | "ca" | "meter" | "upstream"> = {},
): Promise<ProxyLab> {
  const lab = await openLab();
  const intents: ConnectIntent[] = [];
  const outcomes: Outcome[] = [];
  const lines: RequestLine[] = [];
  const revocations: AbortController[] = [];
  const pretended: AdmitConnection = async (session, intent) => {
    intents.push(intent);
    if (lab.denied.has(intent.host) || lab.denied.has(`${session} ${intent.host}`)) throw denial(intent.host);
    const revocation = new AbortController();
    revocations.push(revocation);
    return {
      permit: Permit.issue({ ...intent, session }, "e" as EntryId),
      revoked: revocation.signal,
      end: (outcome) => void outcomes.push(outcome),
    };
  };
  const proxy = createProxy({
    ...lab.parts,
    ...more,
    admit: gate ?? pretended,
    limits,
    onRequest: (line) => void lines.push(line),
  });
  const doors = [await listenInside("s" as SessionId, proxy.accept)];
  return {
    lab,
    proxy,
    port: doors[0]?.port ?? 0,
    intents,
    outcomes,
    lines,
    revoke: () => {
      for (const revocation of revocations) revocation.abort();
    },
    doorFor: async (session) => {
      const door = await listenInside(session as SessionId, proxy.accept);
      doors.push(door);
      return door.port;
    },
    close: async () => {
      await Promise.all(doors.map((door) => door.close()));
      await proxy.close(0);
      await lab.close();
    },
  };
}
