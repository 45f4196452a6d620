/** A piece of a word. Offsets are into the text of its page. */
export type PowerShellPart =
  | { readonly kind: "text"; readonly text: string }
  /** A variable by its name in lower case. */
  | { readonly kind: "variable"; readonly name: string }
  /** `( … )`, `$( … )`, `@( … )`, `{ … }`, or something with members: whatever stands between the offsets. */
  | { readonly kind: "expression"; readonly from: number; readonly to: number }
  /** `@name`: the values of a variable become words. */
  | { readonly kind: "splat"; readonly name: string }
  | { readonly kind: "unknown" };

/** A call of a method: `[IO.Directory]::Delete(…)`, `$x.Run(…)`. */
export interface MethodCall {
  /** The type in front of `::`, in lower case; empty where it is an object. */
  readonly type: string;
  readonly member: string;
  readonly isStatic: boolean;
  /** Where the script of its arguments starts. */
  readonly from: number;
}

/** One word of a command. A comma makes several values of it. */
export interface PowerShellWord {
  /** As it was written. */
  readonly text: string;
  readonly values: readonly (readonly PowerShellPart[])[];
  /** True where it starts without a quote, so that a dash makes it a parameter and a first word a command. */
  readonly bare: boolean;
  /** True where it is `{ … }`. */
  readonly block: boolean;
  /** Where scripts inside start: blocks, groups, subexpressions, also those inside strings. */
  readonly nested: readonly number[];
  readonly calls: readonly MethodCall[];
}

/** What an assignment changes. */
export interface Assignment {
  /** In lower case, without its scope. */
  readonly name: string;
  /** `.key` or `['key']` behind it. */
  readonly key: string | undefined;
  /** True for `+=`. */
  readonly adds: boolean;
  /** Which of the values it takes, where several variables share them. */
  readonly item: number | undefined;
}

/** A file that output goes to, or input comes from. */
export interface PowerShellRedirect {
  readonly reads: boolean;
  readonly target: PowerShellWord;
}

/** One command or expression of a pipeline. */
export interface PowerShellCommand {
  readonly words: readonly PowerShellWord[];
  /** `&` and `.` run what the first word names, quoted or not. */
  readonly operator: "" | "&" | ".";
  readonly assigns: readonly Assignment[];
  /** What stands to the left of an assignment that is no plain variable. */
  readonly targets: readonly PowerShellWord[];
  readonly redirects: readonly PowerShellRedirect[];
  /** Where it stands without what it assigns to. */
  readonly from: number;
  readonly to: number;
}

/** Commands joined by `|`. */
export interface PowerShellPipeline {
  readonly commands: readonly PowerShellCommand[];
  readonly background: boolean;
  /** What stands before it. */
  readonly join: ";" | "&&" | "||";
}

/** Pipelines one after the other. */
export type PowerShellScript = readonly PowerShellPipeline[];

/** A script inside a text, by where it starts; `to` is where its closing bracket stands. */
export interface NestedScript {
  readonly script: PowerShellScript;
  readonly to: number;
}

/** A text that was read. */
export interface PowerShellPage {
  readonly text: string;
  readonly script: PowerShellScript;
  readonly nested: ReadonlyMap<number, NestedScript>;
  /** True where a quote or bracket is not closed. */
  readonly broken: boolean;
  /** True where brackets are nested so deep that they were taken for text. */
  readonly tooDeep: boolean;
}
