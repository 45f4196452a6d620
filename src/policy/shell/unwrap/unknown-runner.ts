import { textOf } from "../programs/words.ts";
import type { Invocation } from "../walk/invocation.ts";
import { onlyChecking, type Walk } from "../walk/walk.ts";
import { runScriptWord } from "./script-word.ts";

/** Programs that start the command elsewhere: in a container, on another machine. It is theirs. */
const elsewhere =
  /^(lxc|incus|lxc-\w+|k3s|k9s|microk8s|minikube|kind|crictl|ctr|nomad|multipass|mosh|et|adb|limactl|lima|colima|orb|distrobox|toolbox|systemd-nspawn|wsl(\.exe)?|railway|tsh|boundary|eb|copilot|apptainer|singularity|rsh|dbclient|plink|pdsh|clush|dsh|salt|fab|cap|knife|teleport|qm|pct)$/;

/** Options behind which many programs take a command. */
const takesCommand = /^(-e|-x|-c|-C|--exec|--command|--cmd|--run|--execute)$/;

/**
 * A program in no table may start what stands behind `--` or an option such as `--exec`: the blocklist looks there. It runs as its own program for everything
 * else.
 */
export function checkUnknownRunner(name: string, call: Invocation, walk: Walk): void {
  if (elsewhere.test(name)) return;
  const { argv } = call;
  const inner: Invocation = { ...call, redirects: [], wrappers: [...call.wrappers, argv], external: true };
  const checking = onlyChecking(walk);
  const end = argv.findIndex((word, at) => at > 0 && textOf(word) === "--");
  if (end > 0 && end + 1 < argv.length) walk.steps.invoke({ ...inner, argv: argv.slice(end + 1) }, checking);
  const at = argv.findIndex((word, index) => index > 0 && takesCommand.test(textOf(word) ?? ""));
  const [script, ...rest] = at > 0 ? argv.slice(at + 1) : [];
  if (script === undefined) return;
  runScriptWord([script], inner, checking);
  if (rest.length > 0) walk.steps.invoke({ ...inner, argv: [script, ...rest] }, checking);
}
