/**
 * A pattern and its other spellings in Unicode: composed (NFC) and decomposed (NFD). They look the same to whoever writes a rule, and some file systems
 * take them for the same name.
 */
export function unicodeForms(pattern: string): string[] {
  return [...new Set([pattern, pattern.normalize("NFC"), pattern.normalize("NFD")])];
}
