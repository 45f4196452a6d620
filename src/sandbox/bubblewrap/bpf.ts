/** One instruction of a classic BPF program (linux/filter.h), with the labels that it may jump to instead of distances. */
export interface Instruction {
  readonly code: number;
  readonly k: number;
  readonly onTrue?: string;
  readonly onFalse?: string;
  /** A name for this place. */
  readonly label?: string;
}

const code = { load: 0x20, equal: 0x15, greater: 0x25, anyBit: 0x45, return: 0x06 } as const;
const bytesEach = 8;
/** A jump's distance is one byte. */
const maxJump = 255;

/** Loads the 32-bit word at `offset` of struct seccomp_data. */
export function load(offset: number, label?: string): Instruction {
  return { code: code.load, k: offset, ...(label === undefined ? {} : { label }) };
}

/** Jumps where the loaded word equals `k`, is greater (unsigned), or shares a bit with it; where no label is given, the next instruction follows. */
export function jump(how: "equal" | "greater" | "anyBit", k: number, onTrue?: string, onFalse?: string): Instruction {
  return {
    code: code[how],
    k,
    ...(onTrue === undefined ? {} : { onTrue }),
    ...(onFalse === undefined ? {} : { onFalse }),
  };
}

/** Ends the program with that word. */
export function answer(k: number, label: string): Instruction {
  return { code: code.return, k, label };
}

/** The bytes of a program as seccomp(2) takes them, little-endian. @throws RangeError for a label that is missing or too far. */
export function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * bytesEach);
  const view = new DataView(bytes.buffer);
  const places = new Map(program.flatMap(({ label }, index) => (label === undefined ? [] : [[label, index] as const])));
  const distance = (from: number, label: string | undefined): number => {
    if (label === undefined) return 0;
    const found = (places.get(label) ?? -1) - from - 1;
    if (found < 0 || found > maxJump) throw new RangeError(`no jump from ${from} to ${label}`);
    return found;
  };
  for (const [index, instruction] of program.entries()) {
    const at = index * bytesEach;
    view.setUint16(at, instruction.code, true);
    view.setUint8(at + 2, distance(index, instruction.onTrue));
    view.setUint8(at + 3, distance(index, instruction.onFalse));
    view.setUint32(at + 4, instruction.k, true);
  }
  return bytes;
}
