import { blocksOf, type Row } from "./special-purpose.ts";

/**
 * Services that hand credentials of the machine to whoever asks. No configured range opens them. Some have public addresses, so no
 * registry lists them.
 */
const rows: readonly Row[] = [
  ["169.254.169.254/32", "cloud metadata (AWS, GCP, Azure, OpenStack, DigitalOcean)", "vendor"],
  ["169.254.170.2/32", "cloud metadata (AWS ECS task role)", "vendor"],
  ["169.254.170.23/32", "cloud metadata (AWS EKS pod identity)", "vendor"],
  ["169.254.42.42/32", "cloud metadata (Scaleway)", "vendor"],
  ["169.254.0.23/32", "cloud metadata (Tencent)", "vendor"],
  ["100.100.100.200/32", "cloud metadata (Alibaba)", "vendor"],
  ["192.0.0.192/32", "cloud metadata (Oracle)", "vendor"],
  ["168.63.129.16/32", "wire server (Azure)", "vendor"],
  ["fd00:ec2::254/128", "cloud metadata (AWS)", "vendor"],
  ["fd00:ec2::23/128", "cloud metadata (AWS EKS pod identity)", "vendor"],
  ["fd20:ce::254/128", "cloud metadata (GCP)", "vendor"],
  ["fd00:42::42/128", "cloud metadata (Scaleway)", "vendor"],
  ["fd00:c1::a9fe:a9fe/128", "cloud metadata (Oracle)", "vendor"],
  ["fd00:a9fe:a9fe::1/128", "cloud metadata (Akamai)", "vendor"],
  ["fe80::a9fe:a9fe/128", "cloud metadata (OpenStack)", "vendor"],
];

/** Metadata services by address. */
export const metadataServices = blocksOf(rows);
