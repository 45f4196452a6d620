import { resolvePath, rootPath, type AbsolutePath } from "../../model/absolute-path.ts";
import { headOf, shown, textOf } from "../shell/programs/words.ts";
import type { SimpleCommand, Word } from "../shell/simple-command.ts";
import type { BlockWorld } from "./block-world.ts";

/** Names of block devices under /dev (Linux' admin-guide/devices.txt, and macOS disks). */
const device =
  /^\/dev\/(?:(?:sd|hd|vd|xvd|ubd|dasd)[a-z]+\d*|s?nvme\d+n\d+(?:p\d+)?|nvme\d+n\d+(?:p\d+)?|mmcblk\d+\w*|md\d+\w*|dm-\d+|loop\d+\w*|sr\d+|nbd\d+\w*|zram\d+|zd\d+|ram\d+|pmem\d+\w*|bcache\d+|r?disk\d+\w*|(?:disk|mapper|md|block|zvol)\/.+)$/;

/** A pattern that may match one. */
const devicePattern = /^\/dev\/(?:[sh]d|vd|xvd|nvme|mmcblk|md|dm-|r?disk|disk\/|mapper\/|\*|\?|\[)[^/]*/;

const answers = /^(--version|--help|-V|-h)$/;

/** Programs that write to their operands, with the words by which they only look. */
const writers: ReadonlyMap<string, RegExp> = new Map([
  ["tee", answers],
  ["shred", answers],
  ["blkdiscard", answers],
  ["wipe", answers],
  ["truncate", answers],
  ["mkswap", answers],
  ["sponge", answers],
  ["fallocate", answers],
  ["scrub", answers],
  ["nwipe", answers],
  ["zerofree", /^(-n|--version|--help)$/],
  ["pvcreate", /^(-t|--test|--version|--help|-h)$/],
  ["cryptsetup", /^(isLuks|luksDump|luksUUID|status|open|luksOpen|close|--version|--help|-V|-\?)$/],
  ["parted", /^(-l|--list|print|help|--version|--help|-v|-h)$/],
  ["sfdisk", /^(-l|--list|-d|--dump|-J|--json|-V|--verify|-g|--show-.*|-n|--no-act|-s|-F|--version|--help|-v|-h)$/],
  ["sgdisk", /^(-p|--print|-i|--info.*|-v|--verify|-P|--pretend|-b.*|--backup.*|-F|-E|-D|--version|--help|-V)$/],
  ["fdisk", /^(-l|--list|-x|-s|--getsz|--version|--help|-v|-V|-h)$/],
  ["gdisk", /^(-l|--version|--help)$/],
  ["cfdisk", /^(--read-only|-r|--version|--help|-V|-h)$/],
]);

/** Programs of several faces, with the words by which they write. */
const byWord: ReadonlyMap<string, RegExp> = new Map([
  ["wipefs", /^-\w*[ao]|^--(all|offset)/],
  ["badblocks", /^-\w*[wn]/],
  ["hdparm", /^--(security-erase|trim|write|make-bad|yes-i|fwdownload|dco|repair|sanitize)/],
  ["nvme", /^(format|sanitize|write|write-zeroes|write-uncor|dsm|delete-ns)$/],
  ["diskutil", /^(erase|reformat|partition|zero|random|secureerase|splitpartition|mergepartitions)\w*$/i],
  ["mdadm", /^(-C|--create|--zero-superblock|--build|-B)/],
  ["sg_format", /^(-F|--format)/],
]);

/** Programs that write to their last operand. */
const copiers = /^(g?cp|g?mv|install|rsync|ddrescue|dd_rescue|pv|ln|qemu-img|ntfsclone)$/;

/** Options by which many programs name the file that they write. */
const output = /^(-o|-O|-out|--out|--output|--output-file|--output-document|--outfile)$/;
const gluedOutput = /^(?:--(?:output|output-file|output-document|outfile|out)=|-[oO])(\/.*)$/s;

/** True where a command, or a redirection of it, writes to a block device. */
export function writesDevice(name: string, command: SimpleCommand, world: BlockWorld): boolean {
  const names = (word: Word): boolean => namesDevice(word, command.cwds, world);
  if (command.redirects.some(({ operator, target }) => /^(write|append|read-write)$/.test(operator) && names(target)))
    return true;
  const words = command.argv.slice(1);
  if (/^(g?dd|dcfldd)$/.test(name) || (name === "qemu-img" && textOf(words[0]) === "dd"))
    return words.some((word) => headOf(word).startsWith("of=") && names(behindEquals(word)));
  if (words.some((word, at) => writtenByOption(word, words[at + 1], names))) return true;
  if (copiers.test(name)) return writesLast(words, names);
  const looking = writers.get(name);
  if (looking !== undefined) return !words.some((word) => looking.test(textOf(word) ?? "")) && words.some(names);
  const writing = byWord.get(name);
  return writing !== undefined && words.some((word) => writing.test(shown(word))) && words.some(names);
}

function behindEquals(word: Word): Word {
  const path = shown(word).slice("of=".length);
  return word.kind === "glob" ? { kind: "glob", pattern: path } : { kind: "literal", value: path };
}

function writtenByOption(word: Word, next: Word | undefined, names: (word: Word) => boolean): boolean {
  const text = shown(word);
  if (output.test(text)) return next !== undefined && names(next);
  const [, path] = gluedOutput.exec(text) ?? [];
  return path !== undefined && names({ kind: "literal", value: path });
}

function writesLast(words: readonly Word[], names: (word: Word) => boolean): boolean {
  const operands = words.filter((word) => !headOf(word).startsWith("-"));
  const target = words.findIndex((word) => /^(-t|--target-directory)$/.test(textOf(word) ?? ""));
  const last = target >= 0 ? words[target + 1] : operands.at(-1);
  return operands.length > 1 && last !== undefined && names(last);
}

function namesDevice(word: Word, cwds: readonly (AbsolutePath | undefined)[], world: BlockWorld): boolean {
  const text = shown(word);
  if (word.kind === "dynamic") return /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk\/|mapper\/)/.test(word.parts[0] ?? "");
  for (const cwd of text.startsWith("/") ? [rootPath] : cwds) {
    const path = cwd === undefined ? undefined : resolvePath(cwd, text);
    if (path === undefined) continue;
    if (device.test(path) || (word.kind === "glob" && devicePattern.test(path))) return true;
    const real = word.kind === "literal" && !path.startsWith("/dev/null") ? world.real(path) : undefined;
    if (real !== undefined && device.test(real)) return true;
  }
  return false;
}
