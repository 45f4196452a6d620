/**
 * Bounds of the analysis. Over any of them the answer is `opaque` with cause `limit` or `unread`: it asks, and never runs unattended. What is walked again, such as turns of loops, is bounded by
 * the work of the whole command.
 */
export const limits = {
  /** UTF-16 units of a text that is decided; longer texts are still searched for blocklist hits. */
  decidedUnits: 32_768,
  /** Longest text that is looked at: one argument of execve(2) takes 128 KiB (MAX_ARG_STRLEN), so nothing longer can start. */
  parsedUnits: 131_072,
  /** Substitutions and compound commands inside each other, over all levels of text. */
  depth: 96,
  /** Texts inside texts: eval, sh -c, here-documents fed to shells. */
  inline: 12,
  /** Units of all substitution and inline texts that are parsed again, because every level is lexed anew. */
  reparsedUnits: 120_000,
  /** Opening braces in one word. */
  braces: 64,
  /** Paths that words name without being effects. */
  supposed: 4096,
  /** The same with those that are named again. */
  supposedLooks: 32_768,
  /** Results of one word's braces. */
  braceResults: 256,
  /** Words of a loop whose body is walked once for each. */
  loopWords: 128,
  /** Wrappers around one command. */
  wrappers: 128,
  /** Wrappers whose form is kept beside the command inside. */
  wrapperForms: 8,
  /** Folders that a command may start in. */
  cwds: 8,
  /** Units of a folder's path; a longer one counts as unknown. */
  folderUnits: 512,
  /** Units of a variable's value; a longer one counts as unknown. */
  valueUnits: 32_768,
  /** Units of all values that expansions put into words, short ones left out. */
  expandedUnits: 400_000,
  /** Units of a short value: the text is as long as all its uses. */
  shortUnits: 128,
  /** Units of literal output that is followed into a shell. */
  outputUnits: 32_768,
} as const;
