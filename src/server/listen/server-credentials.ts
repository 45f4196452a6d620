import { readFileSync } from "node:fs";
import { ServerCredentials } from "@grpc/grpc-js";
import { Problem } from "../../model/problem.ts";
import type { TcpListen } from "./listen-on-tcp.ts";

/** The credentials of a TCP listener: TLS from its PEM files, or none. @throws Problem `failed_precondition` where a file cannot be read or used. */
export function serverCredentials(tls: TcpListen["tls"]): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const chain = readPem(tls.certFile, "CERTIFICATE");
  const key = readPem(tls.keyFile, "PRIVATE KEY");
  try {
    return ServerCredentials.createSsl(null, [{ cert_chain: chain, private_key: key }]);
  } catch (cause) {
    throw new Problem("failed_precondition", `${tls.certFile} and ${tls.keyFile} are no usable certificate and key`, {
      cause,
    });
  }
}

function readPem(file: string, label: string): Buffer {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (cause) {
    throw new Problem("failed_precondition", `cannot read ${file}`, { cause });
  }
  if (!content.includes(`${label}-----`))
    throw new Problem("failed_precondition", `${file} holds no ${label} in PEM form`);
  return content;
}
