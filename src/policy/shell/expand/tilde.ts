import type { ShellState } from "../state/shell-state.ts";
import type { Walk } from "../walk/walk.ts";
import type { Atom } from "./atom.ts";
import { plainText, quotedText } from "./atom.ts";
import { lookUp } from "./look-up.ts";

/** Replaces a leading `~`, `~user`, `~+` (bash manual, "Tilde Expansion"). `~N` is not known, and `~-` is at best a guess. */
export function expandTilde(atoms: readonly Atom[], state: ShellState, walk: Walk): readonly Atom[] {
  const first = atoms[0];
  if (first?.kind !== "text" || first.quoted || !first.text.startsWith("~")) return atoms;
  const slash = first.text.indexOf("/");
  // A quoted or expanded character in the prefix switches tilde expansion off.
  if (slash < 0 && atoms.length > 1) return maybeUnknown(atoms, first.text);
  const prefix = slash < 0 ? first.text : first.text.slice(0, slash);
  const rest = slash < 0 ? "" : first.text.slice(slash);
  const home = homeAtom(prefix, state, walk);
  return [home, ...(rest === "" ? [] : [plainText(rest)]), ...atoms.slice(1)];
}

/** Expands tildes in the value of an assignment: at its start and behind each unquoted colon. */
export function expandTildes(atoms: readonly Atom[], state: ShellState, walk: Walk): readonly Atom[] {
  const pieces: Atom[][] = [[]];
  for (const atom of atoms) {
    if (atom.kind !== "text" || atom.quoted) {
      pieces.at(-1)?.push(atom);
      continue;
    }
    atom.text.split(":").forEach((text, index) => {
      if (index > 0) pieces.push([]);
      if (text !== "") pieces.at(-1)?.push(plainText(text));
    });
  }
  return pieces.flatMap((piece, index) => [...(index > 0 ? [plainText(":")] : []), ...expandTilde(piece, state, walk)]);
}

const named: ReadonlyMap<string, string> = new Map([
  ["", "HOME"],
  ["+", "PWD"],
  ["-", "OLDPWD"],
]);

function homeAtom(prefix: string, state: ShellState, walk: Walk): Atom {
  const name = prefix.slice(1);
  const variable = named.get(name);
  if (variable !== undefined) {
    const { value, guess } = lookUp(variable, state, walk);
    if (value !== undefined) return quotedText(value);
    return {
      kind: "unknown",
      text: prefix,
      why: "the folder is not known",
      quoted: true,
      ...(guess !== undefined && { guess }),
    };
  }
  const home = /^[A-Za-z_][\w.-]*$/.test(name) ? walk.facts.homeOf(name) : undefined;
  if (home !== undefined) return quotedText(home);
  // Where the user does not exist bash leaves the word as it is; where it does, its home is very likely this.
  const guess = /^[A-Za-z_][\w.-]*$/.test(name) ? `/home/${name}` : undefined;
  return {
    kind: "unknown",
    text: prefix,
    why: "whose folder this is is not known",
    quoted: true,
    ...(guess !== undefined && { guess }),
  };
}

/** `~$USER` is not expanded by bash, but other shells do expand it. */
function maybeUnknown(atoms: readonly Atom[], text: string): readonly Atom[] {
  if (!atoms.some((atom) => atom.kind === "unknown")) return atoms;
  return [{ kind: "unknown", text, why: "a tilde before an unknown name", quoted: true }, ...atoms.slice(1)];
}
