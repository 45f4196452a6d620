import { readFileSync } from "node:fs";

/** One row of a corpus file; which fields it has depends on the file. */
export interface Row {
  readonly id: string;
  readonly cmd: string;
  readonly shell: "bash" | "powershell" | "cmd";
  readonly expected?: string;
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly unknown?: boolean;
  readonly deletes?: readonly string[];
  readonly hosts?: readonly string[];
  readonly kind?: string;
  readonly handling?: string;
}

/** The rows of a file under test/corpus/shell. */
export function rows(name: string): readonly Row[] {
  return lines(new URL(`../../corpus/shell/${name}.jsonl`, import.meta.url));
}

/** The rows of a JSON Lines file. */
export function lines(file: URL): readonly Row[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Row);
}
