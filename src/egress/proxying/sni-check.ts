import { Transform, type TransformCallback } from "node:stream";
import { EgressProblem } from "../egress-problem.ts";
import type { Authority } from "./authority.ts";
import { maxHelloBytes, sniffClientHello } from "./client-hello.ts";

/** The port on which only TLS is let through. */
const tlsPort = 443;

/**
 * Passes a client's bytes on once the server name in its ClientHello is the host that was judged; fails otherwise. Nothing is passed on before.
 *
 * Not checked: what is inside the encrypted stream (another Host header; an encrypted ClientHello where those may pass), and protocols
 * other than TLS on ports other than 443.
 */
export class SniCheck extends Transform {
  readonly #authority: Authority;
  readonly #encrypted: "refuse" | "allow";
  #held = Buffer.alloc(0);
  #passed = false;

  /** `encrypted`: whether a ClientHello may hold another that nobody here can read. */
  constructor(authority: Authority, encrypted: "refuse" | "allow" = "refuse") {
    super();
    this.#authority = authority;
    this.#encrypted = encrypted;
  }

  /** False while the ClientHello is not complete. */
  get passed(): boolean {
    return this.#passed;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#passed) {
      done(null, chunk);
      return;
    }
    this.#held = Buffer.concat([this.#held, chunk]);
    const problem = this.#look();
    if (problem !== undefined) done(problem);
    else if (this.#passed) done(null, this.#release());
    else done();
  }

  override _flush(done: TransformCallback): void {
    if (!this.#passed && this.#held.length > 0 && this.#authority.port === tlsPort)
      done(mismatch(this.#authority, "the connection ended inside the ClientHello"));
    else done(null, this.#release());
  }

  #look(): EgressProblem | undefined {
    const { host, port } = this.#authority;
    const sniffed = sniffClientHello(this.#held);
    switch (sniffed.kind) {
      case "more":
        if (this.#held.length > maxHelloBytes) return mismatch(this.#authority, "the ClientHello is too long");
        return undefined;
      case "not_tls":
        if (port === tlsPort) return mismatch(this.#authority, "only TLS may pass on port 443");
        break;
      case "malformed":
        return mismatch(this.#authority, sniffed.why);
      case "hello":
        if (sniffed.encrypted === true && this.#encrypted === "refuse")
          return mismatch(this.#authority, "it holds an encrypted ClientHello, which may name another server");
        // A client that names no server gets the server's default site: right for an address, anybody's guess for a name.
        if (sniffed.name === undefined ? host.kind === "name" : canonical(sniffed.name) !== host.text)
          return mismatch(
            this.#authority,
            `TLS asks for ${JSON.stringify(sniffed.name?.slice(0, 255) ?? "no server")}`,
          );
        break;
    }
    this.#passed = true;
    return undefined;
  }

  #release(): Buffer {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return held;
  }
}

function canonical(name: string): string {
  return name.endsWith(".") ? name.slice(0, -1) : name;
}

function mismatch({ host }: Authority, why: string): EgressProblem {
  return new EgressProblem("sni_mismatch", `the tunnel to ${host.text} was cut: ${why}`);
}
