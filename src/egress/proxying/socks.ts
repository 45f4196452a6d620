import { Problem } from "../../model/problem.ts";
import { addressOfBytes } from "../address.ts";
import { EgressProblem } from "../egress-problem.ts";
import { type Host, parseHost } from "../host.ts";
import type { Authority } from "./authority.ts";
import type { ByteTaker } from "./byte-taker.ts";
import { carryTunnel } from "./carry-tunnel.ts";
import type { InsideDuplex } from "./inside-duplex.ts";
import { RequestTrace } from "../request-line.ts";
import type { ProxyContext } from "./proxy-options.ts";
import { endWith } from "./refusal-reply.ts";

/** SOCKS 5 (RFC 1928): version, and what an answer to a request says. */
const version = 5;
const replies = {
  succeeded: 0,
  failure: 1,
  notAllowed: 2,
  hostUnreachable: 4,
  refused: 5,
  expired: 6,
  noSuchCommand: 7,
  noSuchAddressType: 8,
} as const;
type Reply = keyof typeof replies;

/** Method numbers: none, a user name and password (RFC 1929), nothing that is acceptable. */
const methods = { none: 0, password: 2, noneOfThese: 255 } as const;

/** A client that does not speak the protocol: it gets this reply, or nothing. */
class BadClient extends Error {
  readonly reply: Reply | undefined;

  constructor(reply?: Reply) {
    super("no SOCKS 5");
    this.reply = reply;
  }
}

/** Whether a connection's first byte is the version of SOCKS 4 or 5. No HTTP request begins with these. */
export function isSocks(first: Uint8Array): boolean {
  return first[0] === 4 || first[0] === version;
}

/**
 * Serves SOCKS 5 after its first byte: CONNECT to a name or an address, nothing else. A name is judged before it is resolved, as everywhere. User name and password are taken and not
 * looked at: whose connection it is, the runtime says. `entered` is called once the request is complete. Resolves when the tunnel is gone; never rejects.
 */
export async function serveSocks(
  inside: InsideDuplex,
  bytes: ByteTaker,
  context: ProxyContext,
  entered: () => void,
): Promise<void> {
  const trace = new RequestTrace("socks5", inside.session, context.onRequest);
  try {
    await greet(inside, bytes);
    const authority = await readRequest(bytes);
    bytes.release();
    entered();
    await carryTunnel(inside, authority, context, trace, () => void inside.write(answer("succeeded")));
  } catch (error) {
    trace.end({}, error instanceof BadClient ? new EgressProblem("protocol_error", error.message) : error);
    const reply = error instanceof BadClient ? error.reply : replyTo(error);
    if (reply === undefined) inside.destroy();
    else endWith(inside, answer(reply));
  }
}

/** The choice of a method. */
async function greet(inside: InsideDuplex, bytes: ByteTaker): Promise<void> {
  const [count = 0] = await take(bytes, 1);
  const offered = await take(bytes, count);
  if (offered.includes(methods.none)) return void inside.write(Uint8Array.of(version, methods.none));
  if (!offered.includes(methods.password)) {
    inside.write(Uint8Array.of(version, methods.noneOfThese));
    throw new BadClient();
  }
  inside.write(Uint8Array.of(version, methods.password));
  const [subVersion] = await take(bytes, 1);
  if (subVersion !== 1) throw new BadClient();
  for (const _part of ["user name", "password"]) {
    const [length = 0] = await take(bytes, 1);
    await take(bytes, length);
  }
  inside.write(Uint8Array.of(1, 0));
}

/** @throws BadClient, EgressProblem */
async function readRequest(bytes: ByteTaker): Promise<Authority> {
  const [spoken, command, , type] = await take(bytes, 4);
  if (spoken !== version) throw new BadClient();
  // Read whole before it is refused: an answer must not meet bytes that nobody read.
  const text = await readAddress(bytes, type);
  const [high = 0, low = 0] = await take(bytes, 2);
  if (command !== 1) throw new BadClient("noSuchCommand");
  const port = high * 256 + low;
  if (port === 0) throw new EgressProblem("bad_port", "0 is no port");
  return { host: text(), port };
}

/** The host, to be parsed when the request is complete. */
async function readAddress(bytes: ByteTaker, type: number | undefined): Promise<() => Host> {
  switch (type) {
    case 1:
    case 4: {
      const address = addressOfBytes([...(await take(bytes, type === 1 ? 4 : 16))]);
      return () => ({ kind: "address", text: address.text, address });
    }
    case 3: {
      const [length = 0] = await take(bytes, 1);
      const name = (await take(bytes, length)).toString("latin1");
      return () => parseHost(name);
    }
    default:
      throw new BadClient("noSuchAddressType");
  }
}

async function take(bytes: ByteTaker, count: number): Promise<Buffer> {
  const taken = await bytes.take(count);
  if (taken === undefined) throw new BadClient();
  return taken;
}

/** Version, reply, reserved, and an address that says nothing: clients have no use for the proxy's own. */
function answer(reply: Reply): Uint8Array {
  return Uint8Array.of(version, replies[reply], 0, 1, 0, 0, 0, 0, 0, 0);
}

function replyTo(error: unknown): Reply {
  if (!(error instanceof EgressProblem))
    return error instanceof Problem && error.code === "permission_denied" ? "notAllowed" : "failure";
  switch (error.reason) {
    case "dns_nxdomain":
    case "dns_empty":
    case "dns_failure":
      return "hostUnreachable";
    case "dns_timeout":
    case "connect_timeout":
    case "deadline":
      return "expired";
    case "connect_failed":
      return isUnreachable(error.cause) ? "hostUnreachable" : "refused";
    default:
      return error.code === "permission_denied" || error.code === "invalid_argument" ? "notAllowed" : "failure";
  }
}

function isUnreachable(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && /^E(HOST|NET)UNREACH$/.test(String(cause.code));
}
