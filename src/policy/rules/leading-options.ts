import type { RunEffect } from "../../model/effect.ts";
import { commandText } from "../shell/compose/command-text.ts";

/** Options before the subcommand that take their value as the next word, for programs that people write rules about. */
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
  ["systemctl", words("-H --host -M --machine -t --type -p --property --root --image")],
  ["terraform", words("")],
]);

/**
 * The text of a run without the options before its subcommand, so that `git -C x push` meets a strict rule about `git push`. Undefined where there are none, or where
 * the program's options are not known.
 */
export function withoutLeadingOptions({ program, argv }: RunEffect): string | undefined {
  const takesValue = valued.get(program);
  if (takesValue === undefined) return undefined;
  let at = 1;
  while (at < argv.length) {
    const word = argv[at] ?? "";
    if (!word.startsWith("-") || word === "-" || word === "--") break;
    at += takesValue.has(word) ? 2 : 1;
  }
  if (at === 1 || at >= argv.length) return undefined;
  return commandText([program, ...argv.slice(at)].map((value) => ({ kind: "literal", value })));
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
