import { makeWithParents, withParents } from "./folders.ts";
import { has, valueOf } from "./parse-options.ts";
import { program, type Family, type Operands, type Program } from "./program.ts";
import { dropHead, headOf, inFolder, isAbsolute, literal, withSuffix } from "./words.ts";

const makeFolders: Operands = (parsed, { out }) => {
  for (const word of parsed.operands) {
    if (has(parsed, "-p")) makeWithParents(word, out);
    else out.write(word);
  }
};

const removeFolders: Operands = (parsed, { out }) => {
  for (const word of parsed.operands)
    for (const folder of has(parsed, "-p") ? withParents(word) : [word]) out.remove(folder);
};

const mktemp: Operands = (parsed, { out }) => {
  const suffix = valueOf(parsed, "--suffix");
  const given = parsed.operands[0];
  const name = given ?? literal("tmp.XXXXXXXXXX");
  const full = suffix === undefined ? name : withSuffix(name, suffix.kind === "literal" ? suffix.value : "");
  const folder = has(parsed, "-p", "--tmpdir") ? (valueOf(parsed, "-p", "--tmpdir") ?? literal("/tmp")) : undefined;
  if (has(parsed, "-u")) return;
  if (isAbsolute(full)) out.write(full);
  else if (folder !== undefined) out.write(inFolder(folder, full));
  else if (given === undefined || has(parsed, "-t")) out.write(inFolder(literal("/tmp"), full));
  else out.write(full);
};

/** dd(1) has `name=value` words instead of options. */
const dd: Program = {
  run({ args, out }) {
    for (const word of args) {
      const head = headOf(word);
      if (head.startsWith("if=")) out.read(dropHead(word, 3));
      else if (head.startsWith("of=")) out.write(dropHead(word, 3));
    }
  },
};

/** shred(1) overwrites, and removes where it is told to. */
const shred: Operands = (parsed, { out }) => {
  for (const word of parsed.operands) {
    out.write(word);
    if (has(parsed, "-u")) out.remove(word);
  }
};

const remove: Operands = (parsed, { out }) => {
  for (const word of parsed.operands) {
    if (has(parsed, "-r")) out.removeTree(word);
    else out.remove(word);
  }
};

/** rename(1) of util-linux takes two texts before its files, that of Perl an expression, which is code. What the new names are follows from the old. */
const rename: Program = {
  takesPaths: true,
  run({ name, args, out }) {
    const operands = args.filter((word) => !/^-./.test(headOf(word)));
    const isCode = /^(s|y|tr|m)[^\w\s]|[;($]/.test(headOf(operands[0] ?? literal("")));
    for (const word of operands.slice(isCode ? 1 : 2)) out.remove(word);
    out.opaque(`${name}: the new names follow from the old ones`);
  },
};

/** Programs that create, fill, cut or remove the files that they are given. */
export const writers: Family = [
  ["tee", program("-a,--append -i,--ignore-interrupts -p --output-error=?.", "w*")],
  ["sponge", program("-a", "w")],
  ["touch", program("-acfhm --no-create --no-dereference -d,--date=. -r,--reference=r -t=. -A=. --time=.", "w*")],
  ["truncate", program("-c,--no-create -o,--io-blocks -r,--reference=r -s,--size=.", "w*")],
  [
    "fallocate",
    program(
      `-c,--collapse-range -d,--dig-holes -i,--insert-range -l,--length=. -n,--keep-size -o,--offset=. -p,--punch-hole -v,--verbose
        -w,--write-zeroes -x,--posix -z,--zero-range`,
      "w*",
    ),
  ],
  ["mkdir", program("-p,--parents -m,--mode=. -v,--verbose -Z --context=?.", makeFolders)],
  ["rmdir", program("-p,--parents -v,--verbose --ignore-fail-on-non-empty", removeFolders)],
  ["mkfifo", program("-m,--mode=. -Z --context=?.", "w*")],
  ["mknod", program("-m,--mode=. -Z --context=?.", "w...")],
  ["mktemp", program("-d,--directory -u,--dry-run -q,--quiet -p=. --tmpdir=?. --suffix=. -t -V", mktemp)],
  ["unlink", program("", "d")],
  ["link", program("", "rw")],
  [
    "shred",
    program(
      "-f,--force -n,--iterations=. --random-source=r -s,--size=. -u,--remove=?. -v,--verbose -x,--exact -z,--zero",
      shred,
    ),
  ],
  ["srm wipe", program("-drfivszlmnqRcFkZ", "D*")],
  [
    "rm",
    program(
      "-fiIdvWPx --force --interactive=?. --one-file-system --no-preserve-root --preserve-root=?. -r,-R,--recursive --dir --verbose",
      remove,
    ),
  ],
  ["trash trash-put gio-trash", program("-frdivR --force --verbose", "D*")],
  ["dd dcfldd", dd],
  ["rename prename file-rename perl-rename rename.ul", rename],
  ["sync", program("-d,--data -f,--file-system", "r*")],
];
