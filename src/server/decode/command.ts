import type { Command as CommandMessage, WindowSize as WindowSizeMessage } from "../../gen/sallyport/v1/exec_pb.ts";
import { exhausted } from "../../model/exhausted.ts";
import type { Command, WindowSize } from "../../model/intent.ts";
import { invalid } from "../../model/problem.ts";
import { decodeWithin } from "./numbers.ts";
import { decodeText } from "./text.ts";

/** Longest shell text in UTF-16 units. */
const maxShellUnits = 32_768;
const maxWords = 4096;
/** Bytes of all words of an argv together, each with its NUL. */
const maxArgvBytes = 128 * 1024;
const maxCells = 4096;
const maxSignal = 64;

/** A command in one of its forms. @throws Problem `invalid_argument`. */
export function decodeCommand(field: string, message: CommandMessage | undefined): Command {
  if (message === undefined) throw invalid(field, "must be set");
  const { form } = message;
  switch (form.case) {
    case "shell": {
      const at = `${field}.shell`;
      if (form.value.length > maxShellUnits) throw invalid(at, `longer than ${maxShellUnits} UTF-16 units`);
      const text = decodeText(at, form.value, maxShellUnits * 3);
      if (text.trim() === "") throw invalid(at, "holds no command");
      return { kind: "shell", shell: "bash", text };
    }
    case "argv":
      return { kind: "argv", argv: decodeWords(`${field}.argv.words`, form.value.words) };
    case undefined:
      throw invalid(field, "must hold shell or argv");
    default:
      return exhausted(form);
  }
}

function decodeWords(field: string, words: readonly string[]): readonly [string, ...string[]] {
  const [program, ...rest] = words;
  if (program === undefined || program === "") throw invalid(field, "the program must be set");
  if (words.length > maxWords) throw invalid(field, `more than ${maxWords} words`);
  let bytes = 0;
  for (const [index, word] of words.entries()) {
    decodeText(`${field}[${index}]`, word, maxArgvBytes);
    bytes += Buffer.byteLength(word) + 1;
  }
  if (bytes > maxArgvBytes) throw invalid(field, `more than ${maxArgvBytes} bytes together`);
  return [program, ...rest];
}

/** A terminal's size. @throws Problem `invalid_argument`. */
export function decodeWindowSize(field: string, { columns, rows }: WindowSizeMessage): WindowSize {
  return {
    columns: decodeWithin(`${field}.columns`, columns, 1, maxCells),
    rows: decodeWithin(`${field}.rows`, rows, 1, maxCells),
  };
}

/** A signal's number. @throws Problem `invalid_argument`. */
export function decodeSignal(field: string, signal: number): number {
  return decodeWithin(field, signal, 1, maxSignal);
}
