import { invalid } from "../../model/problem.ts";
import { isFieldValue, isHopByHop, isToken } from "../field.ts";
import type { Authority } from "../proxying/authority.ts";

/** A secret that the proxy adds to requests for one host. What is sent is in `value`: it goes upstream and nowhere else. */
export interface Credential {
  /** The secret's name, which may be shown. */
  readonly secret: string;
  readonly authority: Authority;
  /** Upper-case; empty: any. */
  readonly methods: readonly string[];
  /** Patterns of paths in which `*` is any sequence; empty: any. */
  readonly paths: readonly string[];
  readonly place: CredentialPlace;
  /** The template with the secret in it. */
  readonly value: string;
  /** Texts by which an answer would give the secret back; see {@link echoesOf}. */
  readonly echoes: readonly string[];
  /** What programs in the sandbox have in place of the secret. */
  readonly placeholder: string;
}

/** Where a secret goes. */
export type CredentialPlace = { readonly kind: "header" | "query"; readonly name: string };

/** Names that would frame the message, or say whose it is. */
const refusedHeaders: ReadonlySet<string> = new Set(["host", "content-length", "expect"]);

const secretWord = "{secret}";
const basicWord = /\{basic:([^{}:]*)\}/;

/**
 * Puts the secret into its template: `{secret}` stands for it, `{basic:USER}` for the Base64 of `USER:SECRET` (RFC 7617).
 * @throws Problem `invalid_argument` that names the secret, never its value
 */
export function renderCredential(place: CredentialPlace, template: string, name: string, secret: string): string {
  const field = `secret ${name}`;
  if (place.kind === "header" && (!isToken(place.name) || isHopByHop(place.name)))
    throw invalid(field, `${JSON.stringify(place.name)} is no header that can carry it`);
  if (place.kind === "header" && refusedHeaders.has(place.name.toLowerCase()))
    throw invalid(field, `the header ${place.name} is not to be set`);
  const user = basicWord.exec(template)?.[1];
  const words = template.split(secretWord).length - 1 + (user === undefined ? 0 : 1);
  if (words !== 1) throw invalid(field, `its template must hold ${secretWord} or {basic:USER}, once`);
  // A function: `$&` in a secret would mean something.
  const value =
    user === undefined
      ? template.replace(secretWord, () => secret)
      : template.replace(basicWord, () => Buffer.from(`${user}:${secret}`, "utf8").toString("base64"));
  if (place.kind === "header" && !isFieldValue(value))
    throw invalid(field, "it holds a character that no header may hold");
  return value;
}

/** Shorter secrets would be found in ordinary text. Characters. */
const shortestEcho = 6;

/** How a server would repeat a secret: by itself, as it was sent without the scheme before it, and both as parts of a URL. The longest first, since some hold others. */
export function echoesOf(value: string, secret: string): readonly string[] {
  const sent = /^\S+ (\S+)$/.exec(value)?.[1] ?? value;
  const texts = [secret, sent].flatMap((text) => [
    text,
    encodeURIComponent(text),
    new URLSearchParams({ t: text }).toString().slice(2),
  ]);
  return [...new Set(texts)].filter(({ length }) => length >= shortestEcho).toSorted((a, b) => b.length - a.length);
}

/** A request as far as a credential looks at it. */
export interface CredentialUse {
  readonly authority: Authority;
  readonly method: string;
  /** As it is judged; without the query. */
  readonly path: string;
}

/** Whether a credential is for this request. The request must go over TLS: who calls this knows. */
export function isFor(credential: Credential, { authority, method, path }: CredentialUse): boolean {
  const { methods, paths } = credential;
  return (
    sameAuthority(credential.authority, authority) &&
    (methods.length === 0 || methods.includes(method.toUpperCase())) &&
    (paths.length === 0 || paths.some((pattern) => matchesPath(pattern, path)))
  );
}

/** Whether both name one host and port. */
export function sameAuthority(a: Authority, b: Authority): boolean {
  return a.host.text === b.host.text && a.port === b.port;
}

/** `*` is any sequence, all else is meant as it stands. Linear: each part is taken where it is found first. */
function matchesPath(pattern: string, path: string): boolean {
  const [head = "", ...parts] = pattern.split("*");
  const last = parts.pop();
  if (last === undefined) return path === head;
  if (!path.startsWith(head)) return false;
  let at = head.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return path.length - at >= last.length && path.endsWith(last);
}
