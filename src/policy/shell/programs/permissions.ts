import type { Word } from "../simple-command.ts";
import { has } from "./parse-options.ts";
import { program, type Call, type Family, type Operands, type Program } from "./program.ts";
import { textOf } from "./words.ts";

function changed(words: readonly Word[], deep: boolean, { out }: Call): void {
  for (const word of words) {
    if (deep) out.writeTree(word);
    else out.write(word);
  }
}

/** Files behind one word that says what to change, unless --reference says it. */
const afterOne: Operands = (parsed, call) => {
  changed(has(parsed, "--reference") ? parsed.operands : parsed.operands.slice(1), has(parsed, "-R"), call);
};

const allOperands: Operands = (parsed, call) => changed(parsed.operands, has(parsed, "-R"), call);

/** Takes the first word before `--` that looks like a mode with a dash (`-x`, `-rw`) out of the options: it is the mode itself. */
function withDashMode(inner: Program, without: Program, pattern: RegExp): Program {
  return {
    run(call) {
      const end = call.args.findIndex((word) => textOf(word) === "--");
      const at = call.args.findIndex((word, index) => (end === -1 || index < end) && pattern.test(textOf(word) ?? ""));
      if (at === -1) inner.run(call);
      else without.run({ ...call, args: call.args.filter((_, index) => index !== at) });
    },
  };
}

const chmodOptions = `-c,--changes -f,--silent,--quiet -v,--verbose --no-preserve-root --preserve-root --reference=r -R,--recursive -h,--no-dereference
    --dereference -H -L -P -E -N -C`;
const chownOptions = `-c,--changes -f,--silent,--quiet -v,--verbose --dereference -h,--no-dereference --from=. --no-preserve-root --preserve-root
  --reference=r -R,--recursive -H -L -P -n -x`;
const chattrOptions = "-R -V -f -v=. -p=.";

/** Programs that change modes, owners and attributes: a change is a write. */
export const permissions: Family = [
  [
    "chmod",
    withDashMode(
      program(chmodOptions, afterOne),
      program(chmodOptions, allOperands),
      /^-[rwxXstugoa0-7,+=-]*[rwxXstugoa0-7]$/,
    ),
  ],
  ["chown chgrp", program(chownOptions, afterOne)],
  [
    "chattr",
    withDashMode(program(chattrOptions, afterOne), program(chattrOptions, allOperands), /^-[aAcCdDeEFijmPsStTux]+$/),
  ],
  [
    "lsattr getfacl getfattr getcap",
    program(
      `-RVadvlpcesEtnPLhmUr --access --default --omit-header --all-effective --no-effective --skip-base --recursive --logical --physical
        --tabular --numeric --absolute-names --dump --only-values`,
      "r*",
    ),
  ],
  [
    "setfacl",
    program(
      `-m,--modify=. -M,--modify-file=r -x,--remove=. -X,--remove-file=r -s,--set=. --set-file=r -b,--remove-all -k,--remove-default
        -n,--no-mask --mask -d,--default --restore=o --test -R,--recursive -L,--logical -P,--physical`,
      allOperands,
    ),
  ],
  ["setfattr", program("-n,--name=. -v,--value=. -x,--remove=. -h,--no-dereference --restore=o --raw", "w*")],
  [
    "chcon",
    program(
      "-h --dereference --no-dereference --reference=r -u,--user=. -r,--role=. -t,--type=. -l,--range=. -R,--recursive -v -H -L -P",
      (parsed, call) => (has(parsed, "-u", "-r", "-t", "-l") ? allOperands : afterOne)(parsed, call),
    ),
  ],
  ["setcap", program("-q -v -n=. -r", ".w*")],
  ["xattr", { run: xattr }],
];

/** xattr(1) of macOS: `-w name value file…`, `-d name file…`, `-p name file…`, `-c file…`. */
function xattr(call: Call): void {
  const parts = call.args.filter((word) => !/^-[rslvxz]+$/.test(textOf(word) ?? ""));
  const verb = textOf(parts[0]) ?? "";
  const deep = call.args.some((word) => /^-\w*r/.test(textOf(word) ?? ""));
  if (verb.startsWith("-w")) changed(parts.slice(3), deep, call);
  else if (verb.startsWith("-d")) changed(parts.slice(2), deep, call);
  else if (verb.startsWith("-c")) changed(parts.slice(1), deep, call);
  else for (const word of verb.startsWith("-p") ? parts.slice(2) : parts) call.out.read(word);
}
