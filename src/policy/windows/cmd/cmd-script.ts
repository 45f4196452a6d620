/** A word after quotes and carets are taken away. */
export interface CmdWord {
  readonly text: string;
  readonly quoted: boolean;
}

/** `>`, `>>` or `<` with what it names. Copies of descriptors (`2>&1`) are left out: they touch no file. */
export interface CmdRedirect {
  readonly reads: boolean;
  readonly target: string;
}

/** What stands between two commands. */
export type CmdJoin = "&" | "&&" | "||" | "|";

/** One command of a cmd text. */
export type CmdNode =
  | {
      readonly kind: "command";
      readonly words: readonly CmdWord[];
      /** The text from a word on, as it was written, for commands that run the rest of their line. Empty where there is no such word. */
      readonly from: (word: number) => string;
      readonly redirects: readonly CmdRedirect[];
    }
  | { readonly kind: "block"; readonly list: CmdList; readonly redirects: readonly CmdRedirect[] }
  | { readonly kind: "if"; readonly text: string; readonly chosen: CmdNode; readonly otherwise: CmdNode | undefined }
  | {
      readonly kind: "for";
      readonly text: string;
      /** The switches, each with its word: `/r C:\`, `/f "tokens=*"`. */
      readonly switches: readonly string[];
      readonly variable: string;
      readonly set: string;
      /** As it was written: the variable is put in before it is read. */
      readonly body: string;
    };

/** Commands one after the other, each with what stands before it. */
export type CmdList = readonly { readonly join: CmdJoin; readonly node: CmdNode }[];
