import { has, valueOf } from "./parse-options.ts";
import { program, type Family, type Operands, type Program } from "./program.ts";
import { literal, patternOf, shown, textOf } from "./words.ts";
import type { Word } from "../simple-command.ts";

const sortOptions = `-bdfgiMhnRrVcCmsuz -k,--key=. -S,--buffer-size=. -t,--field-separator=. -T,--temporary-directory=W -o,--output=w --batch-size=.
  --parallel=. --sort=. --check=?. --compress-program=x --debug --files0-from=o --random-source=r --ignore-leading-blanks --dictionary-order
  --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse
  --version-sort --merge --stable --unique --zero-terminated`;

/** split(1) and csplit(1) make files whose names start with a prefix. */
function pieces(option: string | undefined, standard: string): Operands {
  return (parsed, { out }) => {
    const [input, prefix] = parsed.operands;
    if (input !== undefined && textOf(input) !== "-") out.read(input);
    const head = (option === undefined ? prefix : valueOf(parsed, option)) ?? literal(standard);
    if (head.kind !== "dynamic") out.write({ kind: "glob", pattern: `${patternOf(head)}*` });
  };
}

const jqOptions = `-acCeijMnrRsSh --ascii-output --compact-output --color-output --exit-status --join-output --monochrome-output --null-input --raw-output
  --raw-output0 --raw-input --slurp --sort-keys --tab --seq --stream --stream-errors --unbuffered --indent=. -L,--library-path=R
  -f,--from-file=r`;

/** jq(1) takes two words behind --arg and its like; the first operand is the filter unless -f gave one. */
const jq = program(
  `${jqOptions} --arg=. --argjson=. --slurpfile=. --rawfile=. --args --jsonargs --argfile=.`,
  (parsed, { out }) => {
    const files: Word[] = [];
    let second: "none" | "text" | "file" = "none";
    let texts = false;
    for (const entry of parsed.sequence) {
      if ("option" in entry) {
        const { name } = entry.option;
        second = /^--(slurpfile|rawfile|argfile)$/.test(name) ? "file" : /^--arg(json)?$/.test(name) ? "text" : second;
        if (/^--(json)?args$/.test(name)) texts = true;
      } else if (second !== "none") {
        if (second === "file") out.read(entry);
        second = "none";
      } else if (!texts || files.length === 0) files.push(entry);
    }
    if (!has(parsed, "-f") && /\b(import|include)\b/.test(files[0] === undefined ? "" : shown(files[0])))
      out.opaque("jq: the filter loads modules");
    for (const word of has(parsed, "-f") ? files : files.slice(1)) out.read(word);
  },
);

const yq = program(
  `-ijrnscMCeNPR0 --inplace --in-place --null-input --raw-output --yaml-output -Y -y --yaml-roundtrip --xml-output -x --toml-output -t
    --exit-status --unwrapScalar=?. --no-colors --colors --prettyPrint --no-doc -o,--output-format=. -p,--input-format=. -I,--indent=.
    --arg=. --from-file=r --expression=. -s,--split-exp! --front-matter=. --header-preprocess=?. -v,--verbose`,
  (parsed, { out }) => {
    const rest = parsed.operands.filter(
      (word, index) => !(index === 0 && /^(e|eval|ea|eval-all)$/.test(textOf(word) ?? "")),
    );
    if (parsed.operands.some((word) => /\b(load|system|env|strload)/.test(shown(word))))
      out.opaque("yq: the expression may read files or run programs");
    for (const word of has(parsed, "--expression", "--from-file") ? rest : rest.slice(1)) {
      if (has(parsed, "-i", "--inplace", "--in-place")) out.write(word);
      else if (textOf(word) !== "-") out.read(word);
    }
  },
);

/** xxd(1) knows whole names behind one dash; numbers glued to a letter are taken out before. */
const xxd = program(
  `-abCeEipruvd -c,-cols=. -g,-groupsize=. -l,-len=. -n,-name=. -o,-offset=. -s,-seek,-skip=. -R=. --revert --ps --postscript --plain
    --bits --include --autoskip --uppercase --capitalize`,
  "ru",
  "words",
);

/** Programs that turn one file into another and may write where an option or a second operand says. */
export const transforms: Family = [
  ["sort", program(sortOptions, "r*")],
  [
    "uniq",
    program(
      `-# -c,--count -d,--repeated -D --all-repeated=?. -f,--skip-fields=. -i,--ignore-case -s,--skip-chars=. -u,--unique
        -z,--zero-terminated -w,--check-chars=. --group=?.`,
      "ru",
    ),
  ],
  [
    "shuf",
    program(
      "-e,--echo -i,--input-range=. -n,--head-count=. -o,--output=w --random-source=r -r,--repeat -z,--zero-terminated",
      (parsed, { out }) => (has(parsed, "-e") ? [] : parsed.operands).forEach((word) => out.read(word)),
    ),
  ],
  [
    "split",
    program(
      `-# -a,--suffix-length=. --additional-suffix=. -b,--bytes=. -C,--line-bytes=. -d --numeric-suffixes=?. -x --hex-suffixes=?.
        -e,--elide-empty-files --filter=x -l,--lines=. -n,--number=. -t,--separator=. -u,--unbuffered --verbose -p=.`,
      pieces(undefined, "x"),
    ),
  ],
  [
    "csplit",
    program(
      "-b,--suffix-format=. -f,--prefix=. -k,--keep-files -m,--suppress-matched -n,--digits=. -s,--quiet,--silent -z,--elide-empty-files",
      pieces("-f", "xx"),
    ),
  ],
  [
    "xxd",
    {
      run: (call) =>
        xxd.run({ ...call, args: call.args.filter((word) => !/^-[cglosR][+-]?\d\w*$/.test(textOf(word) ?? "")) }),
    },
  ],
  [
    "iconv",
    program(
      "-f,--from-code=. -t,--to-code=. -o,--output=u -c -s,--silent --verbose -l,--list --byte-subst=. --unicode-subst=. --widechar-subst=.",
      "r*",
    ),
  ],
  [
    "dos2unix unix2dos mac2unix",
    program(
      "-bcefFhklLmoqrRsSuUvV -n,--newfile -O,--to-stdout --keepdate --quiet --force --follow-symlink --oldfile",
      (parsed, { out }) => {
        const pairs = has(parsed, "-n");
        parsed.operands.forEach((word, index) =>
          pairs && index % 2 === 0 ? out.read(word) : has(parsed, "-O") ? out.read(word) : out.write(word),
        );
      },
    ),
  ],
  ["jq gojq jaq", jq],
  ["yq", yq],
  [
    "pandoc",
    program(
      `-f,-r,--from,--read=. -t,-w,--to,--write=. -o,--output=u -s,--standalone --toc --number-sections -N -V,--variable=. -M,--metadata=.
        --metadata-file=r --template=r -H,--include-in-header=r -B,--include-before-body=r -A,--include-after-body=r -c,--css=.
        --bibliography=r --csl=r --citeproc --wrap=. --columns=. --highlight-style=. --pdf-engine=x -F,--filter=x -L,--lua-filter=x
        --extract-media=W --resource-path=. -d,--defaults=o --data-dir=R --embed-resources --self-contained --reference-doc=r
        --shift-heading-level-by=. --mathjax=?.`,
      "r*",
    ),
  ],
  ["convert magick", imageConverter(true)],
  ["mogrify", imageConverter(false)],
  [
    "pdftotext pdftohtml ps2pdf pdf2ps",
    program(
      "--layout --raw --nopgbrk --htmlmeta -q -f=. -l=. -r=. -enc=. -eol=. -opw=. -upw=. -x=. -y=. -W=. -H=.",
      "ru",
      "words",
    ),
  ],
];

/** ImageMagick: the first and all middle operands are read, the last one is written; mogrify writes each. Options have one dash and mostly one value. */
function imageConverter(lastIsTarget: boolean): Program {
  return {
    run({ args, out, name }) {
      const files = [];
      for (let index = 0; index < args.length; index += 1) {
        const word = args[index];
        const text = textOf(word);
        if (word === undefined) continue;
        if (text !== undefined && /^[-+][a-zA-Z]/.test(text)) {
          if (
            !/^[-+](strip|flip|flop|negate|normalize|auto-orient|trim|transpose|monochrome|append|flatten|coalesce|clone|verbose|quiet|adjoin|antialias|matte|enhance|equalize|despeckle|transverse)$/.test(
              text,
            )
          )
            index += 1;
          if (/^-(write|process|filename)$/.test(text)) out.opaque(`${name} ${text} names a further file or module`);
        } else files.push(word);
      }
      const target = files.pop();
      for (const word of files) {
        if (lastIsTarget) out.read(stripFormat(word));
        else out.write(stripFormat(word));
      }
      if (target !== undefined) out.write(stripFormat(target));
      for (const word of [...files, target]) {
        if (/^(msl|mvg|text|caption|ephemeral|https?|ftp|url|label|inline|vid):|^[@|]/i.test(textOf(word) ?? ""))
          out.opaque(`${name} reads instructions or the network by a prefix`);
      }
    },
  };
}

function stripFormat(word: Word): Word {
  const text = textOf(word);
  const match = text === undefined ? null : /^(?:[a-z0-9]+:)?(.*?)(?:\[[^\]]*\])?$/i.exec(text);
  return match?.[1] === undefined ? word : literal(match[1]);
}
