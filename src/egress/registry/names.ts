/** A name, or a suffix with all names below it, that means this machine or this network whatever a resolver says. */
export interface SpecialName {
  readonly suffix: string;
  readonly name: string;
}

/** Names that are never resolved: special-use names and the ways back to the host, the cluster and the cloud's metadata. */
const specialNames: readonly SpecialName[] = [
  { suffix: "localhost", name: "this machine (RFC 6761)" },
  { suffix: "localdomain", name: "this machine" },
  { suffix: "localdomain4", name: "this machine" },
  { suffix: "localdomain6", name: "this machine" },
  { suffix: "local", name: "this link (multicast DNS, RFC 6762)" },
  { suffix: "internal", name: "a private network (.internal), cloud metadata or the container's host" },
  { suffix: "home.arpa", name: "a home network (RFC 8375)" },
  { suffix: "arpa", name: "the infrastructure of the DNS (RFC 3172)" },
  { suffix: "cluster.local", name: "a Kubernetes cluster" },
  { suffix: "svc", name: "a Kubernetes cluster" },
  { suffix: "kubernetes.default", name: "a Kubernetes cluster" },
  { suffix: "metadata.goog", name: "cloud metadata (GCP)" },
  { suffix: "metadata.tencentyun.com", name: "cloud metadata (Tencent)" },
  { suffix: "metadata.cloud.ibm.com", name: "cloud metadata (IBM)" },
  { suffix: "metadata.packet.net", name: "cloud metadata (Equinix)" },
  { suffix: "metadata.platformequinix.com", name: "cloud metadata (Equinix)" },
  { suffix: "onion", name: "the Tor network (RFC 7686)" },
  { suffix: "alt", name: "a name outside the DNS (RFC 9476)" },
];

/** Why a canonical name is not a public host; undefined for all others. A name without a dot is always one of this network. */
export function specialName(host: string): string | undefined {
  const hit = specialNames.find(({ suffix }) => host === suffix || host.endsWith(`.${suffix}`));
  if (hit !== undefined) return hit.name;
  return host.includes(".") ? undefined : "a name of this network (no dot in it)";
}
