import type { RunEffect } from "../../model/effect.ts";
import { commandText } from "../shell/compose/command-text.ts";
import { sameCommands } from "./same-commands.ts";

/** Options before or between subcommands that take their value as the next word, for programs that people write rules about. */
const valued: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "git",
    words("-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix --attr-source --list-cmds"),
  ],
  ["docker", words("-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey")],
  [
    "podman",
    words("-c --connection --url --identity --root --runroot --log-level --storage-driver --cgroup-manager --runtime"),
  ],
  [
    "kubectl",
    words(
      "-n --namespace --context --cluster --kubeconfig -s --server --user --as --as-group --token --request-timeout -v",
    ),
  ],
  ["helm", words("-n --namespace --kube-context --kubeconfig")],
  ["npm", words("-C --prefix -w --workspace --registry --userconfig --cache --loglevel")],
  ["pnpm", words("-C --dir -F --filter")],
  ["yarn", words("--cwd")],
  ["cargo", words("-C -Z --config --color --manifest-path")],
  ["gh", words("-R --repo")],
  [
    "aws",
    words("--profile --region --output --endpoint-url --query --cli-read-timeout --cli-connect-timeout --ca-bundle"),
  ],
  ["make", words("-C --directory -f --file -I -j -l -o -W")],
  ["systemctl", words("-H --host -M --machine -t --type -p --property --root --image")],
  ["terraform", words("")],
]);

/** How many words that are no options may be subcommands: options behind them belong to what is done, and rules see them. */
const depth = 3;

/**
 * Other texts of the same run that strict rules meet: with options before and between its subcommands left out, and under another name of the same command (`npm i` for
 * `npm install`), so that `git -C x push` meets a rule about `git push`. An allow rule never sees them.
 */
export function otherTexts(run: RunEffect): readonly string[] {
  const written = [run.program, ...run.argv.slice(1)];
  const found: string[] = [];
  for (const argv of [written, ...sameCommands(run)]) {
    if (argv !== written) found.push(textOf(argv));
    for (const dropsNext of [false, true]) {
      const bare = withoutOptions(argv, dropsNext);
      if (bare !== undefined) found.push(textOf(bare));
    }
  }
  return found;
}

/** `dropsNext`: the word behind an option that nobody knows is taken for its value. Undefined where there is nothing to leave out. */
function withoutOptions(argv: readonly string[], dropsNext: boolean): string[] | undefined {
  const [program = ""] = argv;
  const takesValue = valued.get(program);
  const kept = [program];
  let at = 1;
  for (; at < argv.length && kept.length <= depth; at += 1) {
    const word = argv[at] ?? "";
    if (word === "--") break;
    if (!word.startsWith("-") || word === "-") kept.push(word);
    else if (takesValue?.has(word) === true || (takesValue === undefined && dropsNext && !word.includes("="))) at += 1;
  }
  const rest = argv.slice(at);
  return kept.length + rest.length === argv.length ? undefined : [...kept, ...rest];
}

function textOf(argv: readonly string[]): string {
  return commandText(argv.map((value) => ({ kind: "literal", value })));
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
