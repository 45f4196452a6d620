import { writesDevice } from "./block-device.ts";
import { bash, type BlocklistEntry } from "./entry.ts";
import { deletesProtected } from "./recursive-delete.ts";

const otherAccount = "it runs commands with the rights of another account";

/** An entry for programs that are forbidden whatever their words say. */
function programs(
  id: string,
  names: readonly string[],
  because: string,
  hits: readonly string[],
  misses: readonly string[],
): BlocklistEntry {
  return {
    id,
    because,
    match: names.flatMap((name) => [name, `${name} *`]),
    hits: bash(...hits),
    misses: bash(...misses),
    forbids: (name) => names.includes(name),
  };
}

const mkfs = /^(mkfs(\..+)?|mke2fs|mkdosfs|mkntfs|mkexfatfs|mkreiserfs|newfs(_.+)?)$/;

/** The blocklist for bash. Short on purpose: every entry has a reason, and examples that must hold. */
export const bashEntries: readonly BlocklistEntry[] = [
  programs(
    "sudo",
    ["sudo", "sudoedit", "sudo-rs"],
    otherAccount,
    ["sudo -n true", "env X=1 /usr/bin/s''udo id", "ls; sh -c 'sudo id'"],
    ["grep -r sudo .", "man sudo", "echo sudo"],
  ),
  programs("doas", ["doas"], otherAccount, ["doas id", "nice doas -u root id"], ["echo doas", "ls doas"]),
  programs("su", ["su"], otherAccount, ["su - u -c id", "command su"], ["echo su", "git commit -m su"]),
  programs("pkexec", ["pkexec"], otherAccount, ["pkexec id", "timeout 5 pkexec id"], ["which pkexec"]),
  programs("run0", ["run0"], otherAccount, ["run0 id", "setsid run0 id"], ["cat run0"]),
  {
    id: "recursive-delete",
    because: "it deletes the system, a home, or a folder that holds one, with everything in it",
    match: ["rm -r /", "rm -r ~", "rm -r /etc", "find / -delete"],
    hits: bash(
      "rm -rf /",
      "r\\m -f --recurs ~/x/..",
      "cd / && rm -r *",
      "find ~ -delete",
      "printf '/\\n' | xargs rm -r",
      'D=/usr; rm -rf "$D"/*',
      "rsync -a --delete empty/ /",
      "git --work-tree=/ clean -fdx",
    ),
    misses: bash(
      "rm -rf ./build",
      "rm -rf ~/x",
      "rm -rf /tmp/x/*",
      "git commit -m 'rm -rf /'",
      "find / -name core",
      "rm -f /",
      "rm -rf '~'",
      "rsync -a --delete src/ ~/copy/",
      "rsync -na --delete x/ ~/",
      "git clean -fdx",
    ),
    forbids: deletesProtected,
  },
  {
    id: "block-device",
    because: "it writes over a disk",
    match: ["dd of=/dev/sda", "* > /dev/sda"],
    hits: bash("dd if=x of=/dev/sda", "echo > /dev/nvme0n1", "cat x | tee /dev/sdb1", "cp x /dev/vda"),
    misses: bash("dd if=/dev/zero of=x count=1", "echo > /dev/null", "cp /dev/sda1 x", "lsblk /dev/sda"),
    forbids: writesDevice,
  },
  {
    id: "mkfs",
    because: "it makes a new file system over what a disk holds",
    match: ["mkfs*", "mke2fs *"],
    hits: bash("mkfs.ext4 /dev/sda1", "env mkfs -t xfs /dev/sdb"),
    misses: bash("man mkfs", "echo mkfs.ext4"),
    forbids: (name) => mkfs.test(name),
  },
  {
    id: "fork-bomb",
    because: "it starts itself without end until the machine stops",
    match: [":(){ :|:& };:"],
    hits: bash(":(){ :|:& };:", "bomb() { bomb | bomb & }; bomb", "bash -c 'f() { f & f & }; f'"),
    misses: bash("f() { ls | cat; }; f", 'walk() { for d in a b; do walk "$d"; done; }'),
    forbids: undefined,
  },
];
