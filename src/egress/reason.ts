import type { ProblemCode } from "../model/problem.ts";

/** How one kind of failure looks to a gRPC caller and to a proxy client. */
interface Meaning {
  readonly code: ProblemCode;
  /** HTTP status that the proxy answers (RFC 9110, section 15). */
  readonly status: number;
}

/** The closed set of machine-readable reasons. 403 is policy, 502 and 504 are the network, so that clients can tell them apart. */
export const reasons = {
  bad_url: { code: "invalid_argument", status: 400 },
  bad_scheme: { code: "invalid_argument", status: 400 },
  bad_host: { code: "invalid_argument", status: 400 },
  bad_port: { code: "invalid_argument", status: 400 },
  bad_method: { code: "invalid_argument", status: 405 },
  bad_header: { code: "invalid_argument", status: 400 },
  bad_framing: { code: "invalid_argument", status: 400 },
  host_denied: { code: "permission_denied", status: 403 },
  port_denied: { code: "permission_denied", status: 403 },
  addr_private: { code: "permission_denied", status: 403 },
  addr_special: { code: "permission_denied", status: 403 },
  addr_metadata: { code: "permission_denied", status: 403 },
  dns_nxdomain: { code: "not_found", status: 502 },
  dns_empty: { code: "not_found", status: 502 },
  dns_failure: { code: "unavailable", status: 502 },
  dns_timeout: { code: "deadline_exceeded", status: 504 },
  connect_failed: { code: "unavailable", status: 502 },
  connect_timeout: { code: "deadline_exceeded", status: 504 },
  tls_error: { code: "unavailable", status: 502 },
  redirect_limit: { code: "failed_precondition", status: 502 },
  redirect_body: { code: "permission_denied", status: 403 },
  redirect_target: { code: "permission_denied", status: 403 },
  downgrade: { code: "permission_denied", status: 403 },
  too_large: { code: "resource_exhausted", status: 502 },
  bomb: { code: "resource_exhausted", status: 502 },
  encoding: { code: "data_loss", status: 502 },
  headers_too_large: { code: "resource_exhausted", status: 502 },
  protocol_error: { code: "data_loss", status: 502 },
  deadline: { code: "deadline_exceeded", status: 504 },
  cancelled: { code: "cancelled", status: 503 },
  sni_mismatch: { code: "permission_denied", status: 403 },
  stray_credential: { code: "permission_denied", status: 403 },
  limit_connections: { code: "resource_exhausted", status: 429 },
  limit_rate: { code: "resource_exhausted", status: 429 },
  limit_bytes: { code: "resource_exhausted", status: 429 },
  draining: { code: "unavailable", status: 503 },
} as const satisfies Readonly<Record<string, Meaning>>;

/** The reasons of refusals and failures, a closed set. */
export type Reason = keyof typeof reasons;
