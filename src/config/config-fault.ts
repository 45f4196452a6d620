import { Problem } from "../model/problem.ts";

/** One fault of a configuration file, with its place. Lines and columns count from 1; 0 where the whole file is meant. */
export interface ConfigFault {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The path of the faulty value, such as `rules[2].effect`; empty: the whole. */
  readonly field?: string;
}

/** `file:line:column: message`. */
export function faultText(fault: ConfigFault): string {
  const place = fault.line === 0 ? fault.file : `${fault.file}:${fault.line}:${fault.column}`;
  return `${place}: ${fault.message}`;
}

/** Most faults that one message lists, and most that are kept. */
const maxListed = 20;
const maxKept = 100;

/** The first of many lines, and how many there are beside them. */
export function firstOf(lines: readonly string[]): string[] {
  return lines.length <= maxListed
    ? [...lines]
    : [...lines.slice(0, maxListed), `and ${lines.length - maxListed} more`];
}

/** A configuration that cannot be used, with each of its first faults on a line of its own. */
export class ConfigProblem extends Problem {
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    super("failed_precondition", firstOf(faults.map(faultText)).join("\n"));
    this.name = "ConfigProblem";
    this.faults = faults.slice(0, maxKept);
  }
}
