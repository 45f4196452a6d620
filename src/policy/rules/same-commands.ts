import type { RunEffect } from "../../model/effect.ts";

/** Other names of a subcommand, by program: what people write in rules comes last. */
const subcommands: ReadonlyMap<string, readonly (readonly [others: RegExp, name: string])[]> = new Map([
  [
    "npm",
    [
      [/^(run-script|rum|urn)$/, "run"],
      [/^(i|in|ins|inst|insta|instal|isnt|isntall|add)$/, "install"],
      [/^(un|unlink|remove|rm|r)$/, "uninstall"],
      [/^(t|tst)$/, "test"],
      [/^(ic|clean-install|install-clean)$/, "ci"],
      [/^(up|upgrade)$/, "update"],
    ],
  ],
  [
    "pnpm",
    [
      [/^i$/, "install"],
      [/^(rm|uninstall|un)$/, "remove"],
      [/^run-script$/, "run"],
    ],
  ],
  ["helm", [[/^(del|delete|un)$/, "uninstall"]]],
]);

/** Groups of subcommands that may be left out. */
const groups: ReadonlyMap<string, RegExp> = new Map([
  ["docker", /^(container|image)$/],
  ["podman", /^(container|image)$/],
]);

const programs: readonly (readonly [others: RegExp, name: string])[] = [
  [/^python(3(\.\d+)?)?$/, "python3"],
  [/^pip3?(\.\d+)?$/, "pip"],
  [/^nodejs$/, "node"],
  [/^gmake$/, "make"],
];

/** The words of a run under the names that people know its command by, where they are not those already. */
export function sameCommands({ program, argv }: RunEffect): readonly (readonly string[])[] {
  const name = programs.find(([others]) => others.test(program))?.[1] ?? program;
  const words = argv.slice(1);
  const [first = "", second = "", ...rest] = words;
  const found = [sameWords(name, words)];
  if (name === "python3" && first === "-m" && second !== "") found.push(sameWords(second, rest));
  if (name === "npm" && /^(exec|x)$/.test(first)) found.push(["npx", ...(second === "--" ? rest : words.slice(1))]);
  const written = [program, ...words];
  return found.filter((same) => same.length !== written.length || same.some((word, at) => word !== written[at]));
}

function sameWords(name: string, words: readonly string[]): readonly string[] {
  const [first = "", ...rest] = words;
  if (groups.get(name)?.test(first) === true) return [name, ...rest];
  if (name === "cargo" && first.startsWith("+")) return [name, ...rest];
  if (name === "make" && words.some((word) => /^\w+[:?+]?=/.test(word)))
    return [name, ...words.filter((word) => !/^\w+[:?+]?=/.test(word))];
  const at = words.findIndex((word) => !word.startsWith("-"));
  const other = subcommands.get(name)?.find(([others]) => others.test(words[at] ?? ""))?.[1];
  return [name, ...words.map((word, index) => (index === at && other !== undefined ? other : word))];
}
