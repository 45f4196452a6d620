import "reflect-metadata";
import { createPrivateKey, randomBytes, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

/** A key and its certificate, PEM. */
export interface Made {
  readonly cert: string;
  readonly key: string;
  /** To sign others with. */
  readonly keys: webcrypto.CryptoKeyPair;
}

/** What a certificate says that a server shows. */
export interface Said {
  readonly names: readonly string[];
  /** Days from now. */
  readonly from?: number;
  readonly until?: number;
  readonly forClients?: boolean;
  /** True: it may sign others. */
  readonly authority?: boolean;
  /** Who signs; undefined: itself. */
  readonly by?: Made;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const day = 86_400_000;

/** Makes a certificate that says whatever a test wants of it. */
export async function makeCertificate(said: Said): Promise<Made> {
  const { names, from = -1, until = 30, forClients = false, authority = false, by } = said;
  const usage = forClients ? x509.ExtendedKeyUsage.clientAuth : x509.ExtendedKeyUsage.serverAuth;
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const subject = `CN=${names[0] ?? "test"}`;
  const certificate = await x509.X509CertificateGenerator.create(
    {
      subject,
      issuer: by === undefined ? subject : new x509.X509Certificate(by.cert).subject,
      serialNumber: `01${randomBytes(15).toString("hex")}`,
      notBefore: new Date(Date.now() + from * day),
      notAfter: new Date(Date.now() + until * day),
      publicKey: keys.publicKey,
      signingKey: (by?.keys ?? keys).privateKey,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(authority, undefined, true),
        ...(authority ? [] : [new x509.ExtendedKeyUsageExtension([usage])]),
        new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns", value }))),
      ],
    },
    webcrypto,
  );
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  return { cert: certificate.toString("pem"), key: key.export({ type: "pkcs8", format: "pem" }).toString(), keys };
}
