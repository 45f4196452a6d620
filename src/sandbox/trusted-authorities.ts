import { rootCertificates } from "node:tls";
import { ownFolder } from "./plan-mounts.ts";

/** Where a sandbox has the authorities that its programs trust, where it has a file of its own for them. */
export const authoritiesInside = `${ownFolder}/authorities.pem`;

/** The variables that OpenSSL, Node, Python's requests and pip, curl, git and npm look at; each replaces what the tool would trust otherwise, Node's adds to it. */
const names = [
  "SSL_CERT_FILE",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "PIP_CERT",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "npm_config_cafile",
];

/** The usual authorities, as Node brings them, and one more. PEM. */
export function authoritiesWith(authority: string): string {
  return `${rootCertificates.join("\n")}\n${authority}`;
}

/** Variables that make programs trust what is in the file. */
export function trustVariables(file: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, file]));
}
