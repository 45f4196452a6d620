import { parseWordPattern, type WordPattern } from "./word-pattern.ts";

const defaultPorts: Readonly<Record<string, string>> = { "http://": ":80", "https://": ":443" };

/**
 * Reads a pattern for hosts and addresses. Its scheme and host are spelled as effects spell them, because a deny must not be missed for a capital letter: lower case,
 * punycode, no dot at the end, no port that the scheme implies. What follows the host stays as it is.
 */
export function parseWebPattern(text: string): WordPattern {
  const schemeEnd = text.indexOf("://");
  const scheme = schemeEnd < 0 ? "" : text.slice(0, schemeEnd + 3).toLowerCase();
  const bare = schemeEnd < 0 ? text : text.slice(schemeEnd + 3);
  const slash = bare.search(/[/?]/);
  const authority = slash < 0 ? bare : bare.slice(0, slash);
  const rest = slash < 0 ? "" : bare.slice(slash);
  const [, host = authority, port = ""] = /^(.*?)(:(?:\d+|\*))?$/.exec(authority) ?? [];
  const kept = port === defaultPorts[scheme] ? "" : port;
  return parseWordPattern(`${scheme}${canonicalLabels(host)}${kept}${rest}`);
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
