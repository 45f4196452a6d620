/**
 * What a word means to a program:
 * `.` nothing; `r` a file that is read (`-` is standard input), `R` it and everything below;
 * `w` a file that is written, `u` the same where `-` is standard output, `W` it and everything below; `d` and `D` are removed;
 * `s` a file or folder that is looked at, which is no read by the book: only rules that deny or ask hear of it;
 * `x` program text or the name of a program, `o` a file that names further files or options.
 */
export type Role = "." | "r" | "R" | "w" | "u" | "W" | "d" | "D" | "x" | "o" | "s";

/** One option with all its spellings. */
export interface Option {
  /** The first spelling of the table, with its dashes: the name by which it is asked for. */
  readonly name: string;
  readonly takes: "nothing" | "value" | "glued";
  /** Of its value; for an option without one: `x` where it alone makes the program run something unknown. */
  readonly role: Role;
}

/** The options of one program. */
export interface OptionTable {
  readonly short: ReadonlyMap<string, Option>;
  readonly long: ReadonlyMap<string, Option>;
  /** True where `-5` is a number. */
  readonly digits: boolean;
}

const roles = /^[.rRwuWdDxos]$/;

/**
 * Reads a table from blank-separated entries:
 * `-abc` three flags; `-k,--key=r` spellings of one option whose value has role `r`; `--color=?.` a value only behind `=` (or glued to
 * the letter); `-z,--search!` a flag that makes the program run something unknown; `-#` numbers as options; `-name=.` (with `words`
 * style parsing) a long option with one dash. Every table also knows `--help` and `--version`.
 * @throws Error on a bad entry: the tables are constants, so this stops the start.
 */
export function optionTable(text: string): OptionTable {
  const short = new Map<string, Option>();
  const long = new Map<string, Option>([plain("help"), plain("version")]);
  let digits = false;
  for (const entry of text.split(/\s+/).filter((word) => word !== "")) {
    if (entry === "-#") digits = true;
    else addEntry(entry, short, long);
  }
  return { short, long, digits };
}

function addEntry(entry: string, short: Map<string, Option>, long: Map<string, Option>): void {
  const match = /^(-[^=!]+)(?:(!)|(=\??)(.))?$/.exec(entry);
  const spellings = match?.[1]?.split(",") ?? [];
  const first = spellings[0];
  const role = match?.[2] === "!" ? "x" : (match?.[4] ?? ".");
  if (first === undefined || !isRole(role)) throw new Error(`bad option entry: ${entry}`);
  const takes = match?.[3] === "=" ? "value" : match?.[3] === "=?" ? "glued" : "nothing";
  if (spellings.length === 1 && takes === "nothing" && /^-[^-]{2,}$/.test(first)) {
    for (const letter of first.slice(1)) short.set(letter, { name: `-${letter}`, takes, role });
    return;
  }
  for (const spelling of spellings) {
    const option: Option = { name: first, takes, role };
    if (spelling.startsWith("--")) long.set(spelling.slice(2), option);
    else if (spelling.length === 2) short.set(spelling.slice(1), option);
    else long.set(spelling.slice(1), option);
  }
}

function plain(name: string): readonly [string, Option] {
  return [name, { name: `--${name}`, takes: "nothing", role: "." }];
}

function isRole(text: string): text is Role {
  return roles.test(text);
}
