/** Ends of names whose values are secrets, compared without case, `_`, `-` and blanks. */
const endings: readonly string[] = [
  "password",
  "passwd",
  "passphrase",
  "secret",
  "token",
  "apikey",
  "accesskey",
  "secretkey",
  "privatekey",
  "accountkey",
  "credential",
  "credentials",
  "authorization",
  "cookie",
];

/** Names longer than this are cut from the front: the end decides. */
const longest = 64;

/** True where a variable, header, option or field of this name holds a secret, by its ending: `DB_PASSWORD`, `x-api-key`, `clientSecret`. */
export function isSecretName(name: string): boolean {
  const plain = name.slice(-longest).toLowerCase().replaceAll(/[-_ ]/g, "");
  return endings.some((ending) => plain.endsWith(ending));
}
