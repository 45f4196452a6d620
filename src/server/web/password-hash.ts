import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** A password as it is kept: scrypt (RFC 7914) with its cost and salt. */
export interface PasswordHash {
  readonly kind: "scrypt";
  /** Cost; memory is 128 · N · r bytes. */
  readonly n: number;
  readonly r: number;
  readonly p: number;
  /** base64url, 16 bytes. */
  readonly salt: string;
  /** base64url, 32 bytes. */
  readonly hash: string;
}

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** 128 MiB for one guess, as OWASP's cheat sheet on password storage asks for. */
const usualCost = 2 ** 17;
/** Letters and digits that are not taken for one another. */
const letters = "abcdefghjkmnpqrstuvwxyz23456789-";
const groups = 6;
const groupLength = 5;

/** A new password: 30 characters of 31, 148 bits, in groups that a person can type. */
export function newPassword(): string {
  let text = "";
  while (text.length < groups * groupLength) {
    // 31 letters: a byte's five bits that point past them are drawn again, so that all are equally likely.
    for (const byte of randomBytes(64)) {
      const letter = letters[byte % 32];
      if (letter !== undefined && letter !== "-" && text.length < groups * groupLength) text += letter;
    }
  }
  return Array.from({ length: groups }, (_, at) => text.slice(at * groupLength, (at + 1) * groupLength)).join("-");
}

/** Hashes a password for keeping. `n` is the cost, a power of two. */
export async function hashPassword(password: string, n = usualCost): Promise<PasswordHash> {
  const salt = randomBytes(16);
  const cost = { n, r: 8, p: 1 };
  const hash = await derived(password, salt, cost);
  return { kind: "scrypt", ...cost, salt: salt.toString("base64url"), hash: hash.toString("base64url") };
}

/** True where it is the password. Takes the same time whether or not; blanks, dashes and the case of letters do not count. */
export async function isPassword(password: string, kept: PasswordHash): Promise<boolean> {
  const found = await derived(password, Buffer.from(kept.salt, "base64url"), kept);
  const wanted = Buffer.from(kept.hash, "base64url");
  return wanted.length === found.length && timingSafeEqual(found, wanted);
}

function derived(password: string, salt: Buffer, { n, r, p }: Pick<PasswordHash, "n" | "r" | "p">): Promise<Buffer> {
  const typed = password.toLowerCase().replaceAll(/[\s-]/g, "");
  return derive(typed, salt, 32, { N: n, r, p, maxmem: 256 * n * r });
}
