import { parseWordPattern, type WordPattern } from "./word-pattern.ts";

const defaultPorts: Readonly<Record<string, string>> = { "http://": ":80", "https://": ":443" };

/**
 * Reads a pattern for hosts and addresses. Its scheme and host are spelled as effects spell them, because a deny must not be missed for a capital letter: lower case,
 * punycode, no dot at the end, no port that the scheme implies. What follows the host stays as it is. Scheme and host alone are the host at the port of the scheme: nothing else
 * could match them, for every address has a path and a tunnel has no scheme.
 */
export function parseWebPattern(text: string): WordPattern {
  const { scheme, host, port, rest } = readParts(text);
  const implied = defaultPorts[scheme];
  if (implied !== undefined && rest === "" && !`${host}${port}`.endsWith("*")) return hostAt(host, port, implied);
  return parseWordPattern(`${scheme}${host}${port === implied ? "" : port}${rest}`);
}

/** What a strict pattern such as `https://*` also stands for: the tunnels of commands to such hosts, which have no scheme. Empty for any other pattern. */
export function tunnelPattern(text: string): WordPattern[] {
  const { scheme, host, port, rest } = readParts(text);
  const implied = defaultPorts[scheme];
  return implied !== undefined && rest === "" ? [hostAt(host, port, implied)] : [];
}

function hostAt(host: string, port: string, implied: string): WordPattern {
  return parseWordPattern(`${host}${port === "" ? implied : port}`);
}

function readParts(text: string): { scheme: string; host: string; port: string; rest: string } {
  const schemeEnd = text.indexOf("://");
  const scheme = schemeEnd < 0 ? "" : text.slice(0, schemeEnd + 3).toLowerCase();
  const bare = schemeEnd < 0 ? text : text.slice(schemeEnd + 3);
  const slash = bare.search(/[/?]/);
  const authority = slash < 0 ? bare : bare.slice(0, slash);
  const [, host = authority, port = ""] = /^(.*?)(:(?:\d+|\*))?$/.exec(authority) ?? [];
  return { scheme, host: canonicalLabels(host), port, rest: slash < 0 ? "" : bare.slice(slash) };
}

function canonicalLabels(host: string): string {
  const labels = host.toLowerCase().split(".");
  if (labels.length > 1 && labels.at(-1) === "") labels.pop();
  return labels.map(canonicalLabel).join(".");
}

function canonicalLabel(label: string): string {
  // oxlint-disable-next-line no-control-regex -- everything outside ASCII.
  if (!/[^\x00-\x7f]/.test(label)) return label;
  const url = label.includes("*") ? null : URL.parse(`http://${label}.test/`);
  return url === null ? label : url.hostname.slice(0, -".test".length);
}
