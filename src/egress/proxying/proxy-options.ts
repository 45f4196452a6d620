import type { Duplex } from "node:stream";
import type { GuardParts } from "../guard.ts";
import type { Interception } from "../intercepting/interception.ts";
import type { Meter } from "../meter.ts";
import type { RequestLine } from "../request-line.ts";
import type { UpstreamProxy } from "../upstream-proxy.ts";
import type { AdmitConnection } from "./admit.ts";
import type { Authority } from "./authority.ts";
import type { InsideDuplex } from "./inside-duplex.ts";
import type { RelayLimits } from "./relay.ts";

/** Bounds of the proxy, of one connection where nothing else is said. */
export interface ProxyLimits extends RelayLimits {
  /** Milliseconds until a request's header must be complete; also how long a connection may wait between two requests. */
  readonly headerMs: number;
  /** Milliseconds until a connection to the target must stand, resolution included. */
  readonly connectMs: number;
  /** Milliseconds that a question may stay open. */
  readonly admitMs: number;
  /** Bytes of a request's or response's header. */
  readonly headerBytes: number;
  /** Connections that one session may hold at a time. */
  readonly connectionsPerSession: number;
}

/** The bounds where none are given. */
export const defaultProxyLimits: ProxyLimits = {
  headerMs: 30_000,
  connectMs: 15_000,
  admitMs: 600_000,
  headerBytes: 16_384,
  connectionsPerSession: 256,
  idleMs: 600_000,
  lifetimeMs: 86_400_000,
};

/** What the proxy is made of. */
export interface ProxyOptions extends GuardParts {
  readonly admit: AdmitConnection;
  readonly limits?: Partial<ProxyLimits>;
  /** Counts what agents do; undefined: nobody does. */
  readonly meter?: Meter;
  /** The proxy through which every connection goes; undefined: none. */
  readonly upstream?: UpstreamProxy | undefined;
  /** Whether TLS may begin with an encrypted ClientHello (ECH); `refuse` where nothing is said. */
  readonly encryptedHello?: "refuse" | "allow";
  /** TLS that ends at the proxy; undefined: none does. */
  readonly interception?: Interception | undefined;
  /** PEM certificates that are trusted upstream where TLS ends at the proxy; undefined: those that come with Node. */
  readonly ca?: readonly string[] | undefined;
  /** Told of each request once it is over. */
  readonly onRequest?: (line: RequestLine) => void;
}

/** What the handlers of one connection work with. */
export interface ProxyContext extends GuardParts {
  readonly admit: AdmitConnection;
  readonly limits: ProxyLimits;
  readonly meter?: Meter;
  readonly upstream?: UpstreamProxy | undefined;
  readonly encryptedHello?: "refuse" | "allow";
  readonly interception?: Interception | undefined;
  readonly ca?: readonly string[] | undefined;
  readonly onRequest?: (line: RequestLine) => void;
  /** Aborts when the proxy is told to cut everything. */
  readonly cut: AbortSignal;
  /** Serves the requests in a tunnel whose TLS ended here. */
  readonly takeOver: (stream: Duplex, inside: InsideDuplex, tunnel: Authority) => void;
}
