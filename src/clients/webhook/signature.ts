import { createHmac, timingSafeEqual } from "node:crypto";

/** Which way a body goes: what was signed for one way means nothing on the other. */
export type Direction = "question" | "answer";

/** What a signature header says, not yet believed. */
export interface Signature {
  /** Seconds since 1970. */
  readonly time: number;
  /** 32 bytes. */
  readonly mac: Buffer;
}

/** The header that carries a signature. */
export const signatureHeader = "sallyport-signature";

const shape = /^t=([1-9]\d{0,11}),v1=([0-9a-f]{64})$/;

/** The value of the header: HMAC-SHA256 (RFC 2104) over direction, time and body. */
export function sign(secret: string, direction: Direction, time: number, body: Uint8Array): string {
  return `t=${time},v1=${macOf(secret, direction, time, body).toString("hex")}`;
}

/** Reads a header; undefined where it has another form. */
export function readSignature(header: string | undefined): Signature | undefined {
  const found = shape.exec(header ?? "");
  return found?.[2] === undefined ? undefined : { time: Number(found[1]), mac: Buffer.from(found[2], "hex") };
}

/** True where the signature is of this body; takes the same time whatever is wrong. */
export function holds({ time, mac }: Signature, secret: string, direction: Direction, body: Uint8Array): boolean {
  return timingSafeEqual(mac, macOf(secret, direction, time, body));
}

function macOf(secret: string, direction: Direction, time: number, body: Uint8Array): Buffer {
  return createHmac("sha256", secret).update(`${direction}.${time}.`).update(body).digest();
}
