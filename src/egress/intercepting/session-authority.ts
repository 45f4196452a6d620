import { createPrivateKey, randomBytes, webcrypto } from "node:crypto";
import type { Host } from "../host.ts";

/** An authority that only one session's sandboxes trust. Its key is nowhere but in memory. */
export interface SessionAuthority {
  /** The authority's own certificate, PEM: public. */
  readonly certificate: string;
  /** What the proxy shows a client that wants this host. */
  identityFor(host: Host): Promise<Identity>;
}

/** A certificate with its key, PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

const keyAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Clocks inside and outside are one; the hour before is for programs that round. The sidecar restarts, with new authorities, long before the end. Milliseconds. */
const before = 3_600_000;
const after = 365 * 86_400_000;

/** Hosts whose certificates are kept: as many as configuration may name. */
const mostKept = 256;

/** Makes an authority with keys on P-256, which every TLS library takes. */
export async function createSessionAuthority(): Promise<SessionAuthority> {
  // Loaded only where something is intercepted: the library patches a global, and takes its time.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const authorityKeys = await makeKeys();
  const name = "CN=Sallyport session authority";
  const lifetime = { notBefore: new Date(Date.now() - before), notAfter: new Date(Date.now() + after) };
  const { KeyUsageFlags } = x509;
  const authority = await x509.X509CertificateGenerator.createSelfSigned(
    {
      ...lifetime,
      name,
      serialNumber: serial(),
      keys: authorityKeys,
      signingAlgorithm: keyAlgorithm,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
      ],
    },
    webcrypto,
  );
  const leaf = async (host: Host): Promise<Identity> => {
    const keys = await makeKeys();
    const certificate = await x509.X509CertificateGenerator.create(
      {
        ...lifetime,
        // The name is in the extension: a common name may hold 64 characters only.
        subject: "CN=sallyport",
        issuer: name,
        serialNumber: serial(),
        publicKey: keys.publicKey,
        signingKey: authorityKeys.privateKey,
        signingAlgorithm: keyAlgorithm,
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
          new x509.SubjectAlternativeNameExtension([{ type: host.kind === "name" ? "dns" : "ip", value: host.text }]),
          await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
        ],
      },
      webcrypto,
    );
    const key = createPrivateKey({
      key: Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)),
      format: "der",
      type: "pkcs8",
    });
    return { cert: certificate.toString("pem"), key: key.export({ format: "pem", type: "pkcs8" }).toString() };
  };
  const made = new Map<string, Promise<Identity>>();
  return {
    certificate: `${authority.toString("pem")}\n`,
    identityFor(host) {
      const known = made.get(host.text);
      if (known !== undefined) return known;
      const making = leaf(host);
      if (made.size < mostKept) made.set(host.text, making);
      return making;
    },
  };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ["sign", "verify"]);
}

/** Positive and random (RFC 5280, section 4.1.2.2). */
function serial(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString("hex");
}
