import { readFileSync } from "node:fs";
import { type ConnectionInjector, type Server, ServerCredentials } from "@grpc/grpc-js";
import { Problem } from "../../model/problem.ts";
import type { TcpListen } from "./listen-on-tcp.ts";

/**
 * What puts connections into a server: through TLS with the certificate and key of the PEM files, or as they are.
 * @throws Problem `failed_precondition` where a file cannot be read or used.
 */
export function connectionInjector(server: Server, tls: TcpListen["tls"]): ConnectionInjector {
  if (tls === undefined) return server.createConnectionInjector(ServerCredentials.createInsecure());
  const chain = readPem(tls.certFile, "CERTIFICATE");
  const key = readPem(tls.keyFile, "PRIVATE KEY");
  try {
    const credentials = ServerCredentials.createSsl(null, [{ cert_chain: chain, private_key: key }]);
    return server.createConnectionInjector(credentials);
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
