const ending =
  /(?:passw(?:or)?d|passphrase|secret|token|(?:api|access|secret|private|account)[-_ ]?key|credentials?|authorization|cookie)$/i;

/** Names longer than this are cut from the front: the end decides. */
const longest = 64;

/** True where a variable, header, option or field of this name holds a secret, by its ending: `DB_PASSWORD`, `x-api-key`, `clientSecret`. */
export function isSecretName(name: string): boolean {
  return ending.test(name.length > longest ? name.slice(-longest) : name);
}
