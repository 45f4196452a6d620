import { type Credential, echoesOf, renderCredential } from "../../../src/egress/intercepting/credential.ts";

/** The secret of every credential in the tests, and what a sandbox sees of it. */
export const secret = "s3cret-value-of-the-test";
export const placeholder = "sallyport-placeholder-0123456789abcdef";

/** A credential for `ok.test` at this port: a bearer token, or the bare secret in a query. */
export function testCredential(port: number, more: Partial<Credential> = {}): Credential {
  const place = more.place ?? { kind: "header", name: "Authorization" };
  const template = place.kind === "header" ? "Bearer {secret}" : "{secret}";
  const value = renderCredential(place, template, "TEST_TOKEN", secret);
  return {
    secret: "TEST_TOKEN",
    authority: { host: { kind: "name", text: "ok.test" }, port },
    methods: [],
    paths: [],
    place,
    value,
    echoes: echoesOf(value, secret),
    placeholder,
    ...more,
  };
}
