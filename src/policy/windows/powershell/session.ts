import type { WindowsState } from "../windows-state.ts";
import type { PowerShellPage, PowerShellScript } from "./powershell-script.ts";
import type { Block, Value } from "./value.ts";

/** A function that the text defines. */
interface PowerShellFunction extends Omit<Block, "kind"> {
  /** Names of its parameters in their order, in lower case. */
  readonly parameters: readonly string[];
}

/** What a PowerShell session knows. Changes count for all that follows, whatever block they stand in. */
export interface Session {
  readonly variables: Map<string, Value>;
  /** What a name stands for, both in lower case. */
  readonly aliases: Map<string, string>;
  readonly functions: Map<string, PowerShellFunction>;
  /** Roots of drives that the text makes. */
  readonly drives: Map<string, string>;
  /** True where Remove-Item is recursive by default. */
  recursive: boolean;
  /** Where the session is, if it is in no folder: `HKLM:\`. Empty otherwise. */
  place: string;
}

/** A new session. */
export function freshSession(): Session {
  return {
    variables: new Map(),
    aliases: new Map(),
    functions: new Map(),
    drives: new Map(),
    recursive: false,
    place: "",
  };
}

/** What is walked, and what comes in. */
export interface Walk {
  readonly state: WindowsState;
  readonly session: Session;
  readonly page: PowerShellPage;
  /** What each nested script gave, by where it starts. */
  readonly outputs: Map<number, Value>;
  /** What is piped in; undefined: nothing is. */
  readonly input: Piped | undefined;
  /** What `$_` means. */
  readonly item: Piped | undefined;
  /** True where a variable that is not known counts as empty: it was never set. */
  readonly unset?: boolean;
  readonly steps: Steps;
}

/** Values that a pipeline passes on. */
export interface Piped {
  readonly value: Value;
}

/** Steps of the walk that lead back into it. */
export interface Steps {
  readonly script: (script: PowerShellScript, walk: Walk) => Value;
  /** Walks a text in the same session. */
  readonly text: (source: string, walk: Walk) => Value;
}
