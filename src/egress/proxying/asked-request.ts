import type { IncomingMessage } from "node:http";
import { overridingMethod } from "../../model/overriding-method.ts";
import { fieldsOf } from "../field.ts";
import type { Credential } from "../intercepting/credential.ts";
import { refuseOverride } from "../intercepting/refuse-override.ts";
import { refuseStray } from "../intercepting/stray-placeholder.ts";
import { sortedCredentials } from "../intercepting/sorted-credentials.ts";
import { judgedUrl } from "../judged-url.ts";
import type { RequestTrace } from "../request-line.ts";
import type { TargetUrl } from "../target-url.ts";
import type { Client } from "./client.ts";
import { forwardTarget } from "./forward-target.ts";
import { framingOf, type Framing } from "./framing.ts";
import type { ProxyContext } from "./proxy-options.ts";
import type { ReachHow } from "./reach.ts";

/** A request that the proxy sees whole, read in the only way that it can be read. */
export interface AskedRequest {
  readonly url: TargetUrl;
  readonly framing: Framing;
  /** How it is to be judged and connected. */
  readonly how: ReachHow;
  /** Credentials that are added to it. */
  readonly own: readonly Credential[];
  /** Credentials whose placeholders must not be in it. */
  readonly strange: readonly Credential[];
}

/** Reads a forwarded request or an upgrade, plain or from inside of a tunnel whose TLS ends here. @throws EgressProblem */
export function askedRequest(
  request: IncomingMessage,
  { tunnel }: Client,
  { interception }: ProxyContext,
  trace: RequestTrace,
): AskedRequest {
  const url = forwardTarget(request, tunnel);
  const framing = framingOf(request);
  const method = request.method ?? "";
  const secure = url.scheme === "https";
  const { own, strange } = sortedCredentials(interception, url, method);
  if (tunnel !== undefined) trace.note({ intercepted: true });
  if (own.length > 0) trace.note({ credentials: own.map(({ secret }) => secret) });
  const fields = fieldsOf(request.rawHeaders);
  const overriding = overridingMethod(method, fields);
  return {
    url,
    framing,
    own,
    strange,
    how: {
      via: "forward",
      method,
      ...(overriding === undefined ? {} : { overridingMethod: overriding }),
      url: judgedUrl(url),
      secure,
      check: () => {
        refuseStray(url.text, fields, strange);
        refuseOverride(method, fields, own);
      },
    },
  };
}

/** What the record of a request says of its credentials: their names. */
export function credentialFacts({ own }: AskedRequest): Readonly<Record<string, string>> {
  return own.length === 0 ? {} : { credentials: own.map(({ secret }) => secret).join(" ") };
}
