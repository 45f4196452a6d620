import type { Effect } from "../../../model/effect.ts";
import { isInside } from "../../../model/absolute-path.ts";
import { isPathEffect } from "../../rules/capability.ts";
import type { ProgramEffects, ProgramWorld } from "../programs/program-effects.ts";
import { dropHead, headOf, shown } from "../programs/words.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";
import { resolveWord } from "./resolve-word.ts";

const url = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^:/?#]+)(?::(\d{1,5}))?/i;
const ports: Readonly<Record<string, number>> = { http: 80, https: 443, ftp: 21, ssh: 22, git: 9418, ws: 80, wss: 443 };

/** What a program that is in no table may do: read or write every path among its words, and more. */
export function unknownProgramEffects({ argv, cwds }: SimpleCommand, text: string, world: ProgramWorld): Effect[] {
  const [first, ...words] = argv;
  const effects: Effect[] = [];
  // A file of the project or of anywhere else: a rule must name it to let it pass. A bare name is an installed program that rules judge.
  if (first !== undefined && shown(first).includes("/"))
    effects.push({ kind: "opaque", text, why: "what this program does is not known", cause: "program" });
  for (const word of words) {
    if (word.kind === "dynamic")
      effects.push({ kind: "opaque", text, why: `${word.text} is not known before it runs`, cause: "dynamic" });
    else effects.push(...wordEffects(word, cwds, world));
  }
  return effects;
}

/** Paths among the words of a program that runs code of its own: those that lead out of the folder in which it starts, and that its row does not tell itself. */
export function outsidePaths({ argv, cwds }: SimpleCommand, own: ProgramEffects, world: ProgramWorld): Effect[] {
  const told = new Set([...own.reads, ...own.writes, ...own.deletes].map(({ path }) => path));
  return argv
    .slice(1)
    .filter((word) => word.kind !== "dynamic" && !/\s/.test(shown(word)))
    .flatMap((word) => wordEffects(word, cwds, world))
    .filter(
      (effect) =>
        isPathEffect(effect) &&
        !told.has(effect.path) &&
        !cwds.some((cwd) => cwd !== undefined && isInside(cwd, effect.path)),
    );
}

function wordEffects(word: Word, cwds: SimpleCommand["cwds"], world: ProgramWorld): Effect[] {
  const value = withoutOption(word);
  const text = shown(value);
  const [, scheme, host, port] = url.exec(text) ?? [];
  if (scheme !== undefined && host !== undefined && scheme.toLowerCase() !== "file") {
    return [
      {
        kind: "reach",
        host: canonical(host),
        port: Number(port ?? ports[scheme.toLowerCase()] ?? 0),
        capability: "sandbox_network",
      },
    ];
  }
  if (!text.includes("/") && !/^\.{1,2}$/.test(text)) return [];
  return resolveWord(value, cwds, world).flatMap(({ path, exact }): Effect[] => [
    { kind: "read", path, exact },
    { kind: "write", path, exact },
  ]);
}

/** The value of `--option=value`, `-Xvalue` or `name=value`, where it looks like a path; otherwise the word. */
function withoutOption(word: Word): Word {
  const head = headOf(word);
  const [prefix] = /^-{0,2}[\w-]+=|^-[A-Za-z](?=[/.~])/.exec(head) ?? [];
  return prefix === undefined ? word : dropHead(word, prefix.length);
}

function canonical(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}
