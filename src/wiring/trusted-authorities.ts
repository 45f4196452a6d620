import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { Problem } from "../model/problem.ts";

/** Certificates that are trusted on the way out: Node's own and those in these PEM files; undefined where there are none. @throws Problem `failed_precondition` */
export function trustedAuthorities(files: readonly AbsolutePath[]): readonly string[] | undefined {
  return files.length === 0 ? undefined : [...rootCertificates, ...files.flatMap(certificatesIn)];
}

/** Parsed here, so that a broken file stops the start and not the first connection. */
function certificatesIn(file: AbsolutePath): readonly string[] {
  try {
    const blocks =
      readFileSync(file, "utf8").match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
    if (blocks.length === 0) throw new Error("it holds no certificate");
    return blocks.map((text) => new X509Certificate(text).toString());
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "unreadable";
    throw new Problem("failed_precondition", `egress.ca: ${file}: ${why}`, { cause });
  }
}
