import type { PathEffect } from "../../../model/effect.ts";
import type { WindowsState } from "../windows-state.ts";
import type { ProgramCall } from "./program-call.ts";
import { touchPath, type PathWay } from "./touch-path.ts";

/** What is known of a tool that was seen through. */
interface SeenTool {
  /** Why it was not, after all. */
  readonly why: string | undefined;
}

type Word = string | undefined;

/** Programs of Windows that read and write the files that their words name. Undefined: it is none of them. */
export function fileTool(call: ProgramCall, state: WindowsState): SeenTool | undefined {
  const isOption = (word: Word): boolean => word !== undefined && /^[/-][a-z?]/i.test(word) && !/^\/.*[\\/]/.test(word);
  const options = call.words.filter(isOption).map((word) => (word ?? "").toLowerCase());
  const operands = call.words.filter((word) => !isOption(word));
  const touch = (kind: PathEffect["kind"], text: Word, way: PathWay = {}): void =>
    touchPath(kind, text, { wildcards: true, ...way }, call.effect, state);
  switch (call.name) {
    case "findstr": {
      const given = options.some((option) => /^[/-][cg]:/.test(option));
      const deep = options.some((option) => /^[/-][a-z]*s[a-z]*$/.test(option));
      for (const word of operands.slice(given ? 0 : 1)) touch("read", word, { everywhere: deep });
      return { why: options.some((option) => /^[/-][fgd]:/.test(option)) ? "it reads a list of files" : undefined };
    }
    case "find":
      for (const word of operands.slice(1)) touch("read", word);
      return operands[0]?.startsWith("-") === true || call.words.some((word) => word?.startsWith("-") === true)
        ? undefined
        : { why: undefined };
    case "more":
    case "fc":
    case "comp":
      for (const word of operands) touch("read", word);
      return { why: undefined };
    case "sort": {
      const output = call.words.findIndex((word) => /^\/o(utput)?$/i.test(word ?? ""));
      if (options.some((option) => /^\/(o|t|rec|m|l)/.test(option)) && output < 0)
        return { why: "an option names a file" };
      if (output >= 0) touch("write", call.words[output + 1]);
      for (const word of operands) if (output < 0 || word !== call.words[output + 1]) touch("read", word);
      return { why: undefined };
    }
    case "attrib":
      for (const word of operands.filter((each) => each === undefined || !/^[+-][a-z]$/i.test(each)))
        touch(call.words.some((each) => /^[+-][a-z]$/i.test(each ?? "")) ? "write" : "read", word, {
          everywhere: options.includes("/s"),
        });
      return { why: undefined };
    case "icacls":
    case "cacls": {
      const tree = options.includes("/t");
      touch(call.words.length > 1 ? "write" : "read", operands[0], { tree });
      if (options.some((option) => /^[/-](save|restore)/.test(option))) return { why: "an option names a file" };
      return { why: tree ? "it changes who may open files" : undefined };
    }
    case "tree":
      touch("read", operands[0] ?? ".", { tree: true });
      return { why: undefined };
    case "xcopy":
    case "robocopy":
      return copyTree(call, operands, options, touch);
    default:
      return undefined;
  }
}

function copyTree(
  { name }: ProgramCall,
  operands: readonly Word[],
  options: readonly string[],
  touch: (kind: PathEffect["kind"], text: Word, way?: PathWay) => void,
): SeenTool {
  const [source, target] = operands;
  const deep = name === "robocopy" || options.some((option) => /^[/-](s|e)$/.test(option));
  const gone = options.some((option) => /^[/-](mov|move)$/.test(option));
  touch("read", source, { tree: deep });
  touch("write", target ?? ".", { tree: true });
  if (gone) touch("delete", source, { tree: true });
  if (options.some((option) => /^[/-](mir|purge)$/.test(option))) touch("delete", target, { tree: true });
  const listed = options.some((option) => /^[/-](log|unilog|job|save|exclude|if|secfix|b$)/.test(option));
  return { why: listed ? "an option names a file" : undefined };
}
