import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Certificates of an engine and its clients, as `dockerd --tlsverify` takes them: `ca.pem`, `cert.pem` and `key.pem` in a folder for each. */
export interface Certificates {
  readonly server: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };
  /** The client's folder, for DOCKER_CERT_PATH. */
  readonly client: string;
  /** A client's folder whose certificate another authority has signed; it trusts the engine's. */
  readonly stranger: string;
}

/** Makes them with openssl(1), for 127.0.0.1. */
export function makeCertificates(folder: string): Certificates {
  const authority = makeAuthority(join(folder, "authority"));
  const other = makeAuthority(join(folder, "other"));
  const server = makeSigned(
    join(folder, "server"),
    authority,
    "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n",
  );
  const client = makeSigned(join(folder, "client"), authority, "extendedKeyUsage=clientAuth\n");
  const stranger = makeSigned(join(folder, "stranger"), other, "extendedKeyUsage=clientAuth\n");
  writeFileSync(join(stranger, "ca.pem"), readFileSync(join(authority, "cert.pem")));
  const read = (name: string): Buffer => readFileSync(join(server, name));
  return { server: { ca: read("ca.pem"), cert: read("cert.pem"), key: read("key.pem") }, client, stranger };
}

const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

function openssl(...words: readonly string[]): void {
  execFileSync("openssl", words, { stdio: "pipe" });
}

function makeAuthority(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const at = (name: string): string => join(folder, name);
  openssl("req", "-x509", ...key, "-keyout", at("key.pem"), "-out", at("cert.pem"), "-days", "2", "-subj", "/CN=test");
  return folder;
}

function makeSigned(folder: string, authority: string, extensions: string): string {
  mkdirSync(folder, { recursive: true });
  const at = (name: string): string => join(folder, name);
  const of = (name: string): string => join(authority, name);
  openssl("req", ...key, "-keyout", at("key.pem"), "-out", at("request.pem"), "-subj", "/CN=test-leaf");
  writeFileSync(at("extensions"), extensions);
  const signing = ["-CA", of("cert.pem"), "-CAkey", of("key.pem"), "-CAcreateserial", "-extfile", at("extensions")];
  openssl("x509", "-req", "-in", at("request.pem"), ...signing, "-out", at("cert.pem"), "-days", "2");
  writeFileSync(at("ca.pem"), readFileSync(of("cert.pem")));
  return folder;
}
