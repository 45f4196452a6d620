/** A known text, a variable by its name in lower case, or something that is only known when it runs. */
export type PowerShellPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "unknown" };

/** One word of a command. A comma makes several values of it. */
export interface PowerShellWord {
  /** As it was written. */
  readonly text: string;
  readonly values: readonly (readonly PowerShellPart[])[];
  /** True where it starts without a quote, so that a dash makes it a parameter and a first word a command. */
  readonly bare: boolean;
  /** True where it is `{ … }`. */
  readonly block: boolean;
  /** Scripts inside: blocks, groups, subexpressions, also those inside strings. */
  readonly nested: readonly PowerShellScript[];
}

/** One command or expression of a pipeline. */
export interface PowerShellCommand {
  readonly words: readonly PowerShellWord[];
  /** `&` and `.` run what the first word names, quoted or not. */
  readonly operator: "" | "&" | ".";
  /** The variable that takes the result, in lower case. */
  readonly assigns: string | undefined;
  readonly redirected: boolean;
}

/** Commands joined by `|`. */
export interface PowerShellPipeline {
  readonly commands: readonly PowerShellCommand[];
  readonly background: boolean;
}

/** Pipelines one after the other. `broken`: a quote or bracket is not closed. */
export interface PowerShellScript {
  readonly pipelines: readonly PowerShellPipeline[];
  readonly broken: boolean;
}
