import type { Duplex } from "node:stream";
import type { Authority } from "./authority.ts";
import type { InsideDuplex } from "./inside-duplex.ts";

/** Who sent a request. */
export interface Client {
  /** The connection from the sandbox. */
  readonly inside: InsideDuplex;
  /** Where the request came from and its answer goes: the connection itself, or the TLS in it. */
  readonly stream: Duplex;
  /** What the tunnel that the request is in leads to; undefined outside of tunnels. */
  readonly tunnel: Authority | undefined;
}
