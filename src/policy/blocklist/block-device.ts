import { resolvePath, type AbsolutePath } from "../../model/absolute-path.ts";
import { headOf, shown, textOf } from "../shell/programs/words.ts";
import type { SimpleCommand, Word } from "../shell/simple-command.ts";
import type { BlockWorld } from "./block-world.ts";

/** Names of block devices under /dev (Linux' admin-guide/devices.txt, and macOS disks). */
const device =
  /^\/dev\/(?:(?:sd|hd|vd|xvd|ubd|dasd)[a-z]+\d*|s?nvme\d+n\d+(?:p\d+)?|nvme\d+n\d+(?:p\d+)?|mmcblk\d+\w*|md\d+\w*|dm-\d+|loop\d+\w*|sr\d+|nbd\d+\w*|zram\d+|zd\d+|ram\d+|pmem\d+\w*|bcache\d+|r?disk\d+\w*|(?:disk|mapper|md|block|zvol)\/.+)$/;

/** A pattern that may match one. */
const devicePattern = /^\/dev\/(?:[sh]d|vd|xvd|nvme|mmcblk|md|dm-|r?disk|disk\/|mapper\/|\*|\?|\[)[^/]*/;

/** Programs all of whose operands are written to. */
const writers: ReadonlySet<string> = new Set([
  "tee",
  "shred",
  "wipefs",
  "blkdiscard",
  "wipe",
  "truncate",
  "mkswap",
  "sponge",
  "fallocate",
  "scrub",
  "nwipe",
  "pvcreate",
  "cryptsetup",
  "parted",
  "sfdisk",
  "sgdisk",
  "fdisk",
  "gdisk",
  "cfdisk",
  "badblocks",
  "hdparm",
  "zerofree",
]);
/** Programs that write to their last operand. */
const copiers: ReadonlySet<string> = new Set([
  "cp",
  "gcp",
  "mv",
  "gmv",
  "install",
  "rsync",
  "ddrescue",
  "dd_rescue",
  "dcfldd",
  "pv",
  "ln",
]);
/** Ways of those programs that only look. */
const looking =
  /^(-l|--list|-p|--print|-d|--dump|-V|--verify|--version|--help|-h|-i|-I|isLuks|luksDump|status|print|-n|--no-act|-J|--json|-g|-G|-F|--show-.*|-s|-v)$/;

/** True where a command, or a redirection of it, writes to a block device. */
export function writesDevice(name: string, command: SimpleCommand, world: BlockWorld): boolean {
  const names = (word: Word): boolean => namesDevice(word, command.cwds, world);
  if (command.redirects.some(({ operator, target }) => /^(write|append|read-write)$/.test(operator) && names(target)))
    return true;
  const words = command.argv.slice(1);
  if (name === "dd" || name === "dcfldd" || name === "gdd") {
    return words.some((word) => {
      const [, path] = /^of=(.*)$/s.exec(shown(word)) ?? [];
      return (
        path !== undefined &&
        names(word.kind === "glob" ? { kind: "glob", pattern: path } : { kind: "literal", value: path })
      );
    });
  }
  if (copiers.has(name)) {
    const target = words.findIndex((word) => /^(-t|--target-directory)$/.test(textOf(word) ?? ""));
    const last = target >= 0 ? words[target + 1] : words.findLast((word) => !headOf(word).startsWith("-"));
    return words.filter((word) => !headOf(word).startsWith("-")).length > 1 && last !== undefined && names(last);
  }
  if (!writers.has(name)) return false;
  if (name !== "tee" && name !== "shred" && words.some((word) => looking.test(textOf(word) ?? ""))) return false;
  if (
    (name === "wipefs" || name === "hdparm" || name === "badblocks" || name === "fdisk") &&
    !writesByOption(name, words)
  )
    return false;
  return words.some(names);
}

/** Some of these only look unless an option says otherwise. */
function writesByOption(name: string, words: readonly Word[]): boolean {
  const options = words.map(shown).filter((text) => text.startsWith("-"));
  switch (name) {
    case "wipefs":
      return options.some((option) => /^-\w*[ao]|^--(all|offset)/.test(option));
    case "badblocks":
      return options.some((option) => /^-\w*[wn]/.test(option));
    case "hdparm":
      return options.some((option) =>
        /^--(security-erase|trim|write|make-bad|yes-i|fwdownload|dco|repair)/.test(option),
      );
    default:
      return true;
  }
}

function namesDevice(word: Word, cwds: readonly (AbsolutePath | undefined)[], world: BlockWorld): boolean {
  const text = shown(word);
  if (word.kind === "dynamic") return /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk\/|mapper\/)/.test(word.parts[0] ?? "");
  for (const cwd of text.startsWith("/") ? [undefined] : cwds) {
    const path = resolvePath(cwd ?? ("/" as AbsolutePath), text);
    if (path === undefined || (cwd === undefined && !text.startsWith("/"))) continue;
    if (device.test(path) || (word.kind === "glob" && devicePattern.test(path))) return true;
    const real = word.kind === "literal" && !path.startsWith("/dev/null") ? world.real(path) : undefined;
    if (real !== undefined && device.test(real)) return true;
  }
  return false;
}
