import type { Effect, ReachEffect } from "../model/effect.ts";
import type { Facts } from "../model/facts.ts";
import type { ConnectIntent, FetchIntent } from "../model/intent.ts";
import { overridingMethod } from "../model/overriding-method.ts";
import { invalid } from "../model/problem.ts";
import { canonicalHost } from "./canonical-host.ts";

const methodToken = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/;

/** What a request would reach: by its own method, and by the one that a header of it asks the server to act by. */
export type Reaches = readonly [ReachEffect, ...ReachEffect[]];

/**
 * What a fetch reaches, and the address as it will be sent: canonical host, no fragment.
 * @throws Problem `invalid_argument` naming `url` or `method`.
 */
export function analyseFetch(intent: FetchIntent, facts: Facts): { effects: Reaches; url: string } {
  if (!methodToken.test(intent.method)) throw invalid("method", "not an HTTP method (RFC 9110, section 9.1)");
  const { host, port, url } = parseAddress(intent.url);
  const effect = reach("web_fetch", host, port, intent.method, url, facts);
  return { effects: byEachMethod(effect, overridingMethod(intent.method, intent.headers)), url };
}

function byEachMethod(effect: ReachEffect, overriding: string | undefined): Reaches {
  return overriding === undefined ? [effect] : [effect, { ...effect, method: overriding }];
}

/**
 * What a connection through the proxy reaches.
 * @throws Problem `invalid_argument` naming `host`, `port` or `url`.
 */
export function analyseConnect(intent: ConnectIntent, facts: Facts): Reaches {
  const host = canonicalHost(intent.host);
  if (host === undefined) throw invalid("host", "not a host name or address");
  if (!Number.isInteger(intent.port) || intent.port < 1 || intent.port > 65_535)
    throw invalid("port", "not between 1 and 65535");
  if (intent.url === undefined) return [reach("sandbox_network", host, intent.port, intent.method, undefined, facts)];
  const address = parseAddress(intent.url);
  if (address.host !== host || address.port !== intent.port)
    throw invalid("url", "its host and port differ from those of the connection");
  const effect = reach("sandbox_network", host, intent.port, intent.method, address.url, facts);
  return byEachMethod(effect, intent.overridingMethod);
}

/**
 * Puts what the address guard will say beside a host that a command's words name. The sandbox's own loopback is not the guard's business: it has no network,
 * so a connection there never leaves it.
 */
export function guardReach(effect: Effect, facts: Facts): Effect {
  if (effect.kind !== "reach" || effect.host === "*") return effect;
  const host = canonicalHost(effect.host);
  // Not a host at all: nobody knows what the program would make of it.
  if (host === undefined) return { ...effect, host: "*" };
  const internal = isLoopback(host) ? undefined : facts.internalHost(host, effect.port);
  return { ...effect, host, foretold: true, ...(internal === undefined ? {} : { internal }) };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127(\.\d+){3}$/.test(host);
}

function reach(
  capability: ReachEffect["capability"],
  host: string,
  port: number,
  method: string | undefined,
  url: string | undefined,
  facts: Facts,
): ReachEffect {
  const internal = facts.internalHost(host, port);
  return {
    kind: "reach",
    host,
    port,
    capability,
    ...(method === undefined ? {} : { method }),
    ...(url === undefined ? {} : { url }),
    ...(internal === undefined ? {} : { internal }),
  };
}

/** Parses an absolute address by the WHATWG rules. User names and passwords are refused: they would be sent and shown. */
function parseAddress(text: string): { host: string; port: number; url: string } {
  const url = text.length > 8192 ? null : URL.parse(text);
  if (url === null) throw invalid("url", "not an absolute address");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw invalid("url", `scheme ${url.protocol.slice(0, -1)} is not http or https`);
  if (url.username !== "" || url.password !== "") throw invalid("url", "must not hold a user name or password");
  const host = canonicalHost(url.hostname);
  if (host === undefined) throw invalid("url", "its host is no host name or address");
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  if (port === 0) throw invalid("url", "port 0 cannot be reached");
  url.hash = "";
  url.hostname = host.includes(":") ? `[${host}]` : host;
  return { host, port, url: url.href };
}
