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
  readonly kind?: string;
  readonly handling?: string;
}

/** The rows of a file under test/corpus/shell. */
export function rows(name: string): readonly Row[] {
  return lines<Row>(new URL(`../../corpus/shell/${name}.jsonl`, import.meta.url));
}

/** The values of a JSON Lines file, as the test knows them to be. */
export function lines<T>(file: URL): readonly T[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as T);
}
