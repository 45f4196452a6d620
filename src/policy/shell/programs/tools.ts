import type { Word } from "../simple-command.ts";
import { has, valueOf } from "./parse-options.ts";
import { program, unseen, type Call, type Family, type Operands } from "./program.ts";
import { parseAddress, remotePlace } from "./url.ts";
import { headOf, inFolder, literal, namesFolder, shown, spelling, textOf, verbOf } from "./words.ts";

/** SQL and dot commands of sqlite3 that reach other files or programs. */
const sqliteFar =
  /(^|\n)[ \t]*\.(?!(dump|schema|tables|indexes|indices|databases|mode|headers?|width|timeout|stats|separator|nullvalue|help|show|quit|exit|fullschema|dbinfo|changes|eqp|explain)\b)|attach|load_extension|writefile|readfile|vacuum\s+into|\bedit\s*\(|fsdir|pragma\s+temp_store_directory/i;

/** sqlite3(1): a database file is opened for writing, even for a query; statements from standard input are not seen. */
const sqlite: Operands = (parsed, { out, command }) => {
  const [database, ...statements] = parsed.operands;
  if (database !== undefined && textOf(database) !== ":memory:") {
    if (has(parsed, "--readonly")) out.read(database);
    else {
      out.write(database);
      out.suppose(database);
    }
  }
  const texts = [...statements.map(shown), ...(command.stdin.kind === "literal" ? [command.stdin.text] : [])];
  if (
    texts.length === 0 ||
    (database !== undefined && headOf(database).startsWith("file:")) ||
    texts.some((text) => sqliteFar.test(text))
  )
    out.opaque("sqlite3: its statements may reach other files or programs");
};

/** ffmpeg(1): inputs behind -i, every other plain word is an output; options apart from a few switches take a value. */
function ffmpeg({ args, out, name }: Call): void {
  const switches =
    /^-(y|n|an|vn|sn|dn|hide_banner|nostdin|stats|nostats|shortest|re|h|version|L|formats|codecs|report|copyts|start_at_zero|dump|hex|benchmark|accurate_seek|noaccurate_seek|autorotate|show_format|show_streams|show_packets|show_frames|pretty|i)$/;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index];
    if (word === undefined) continue;
    const head = headOf(word);
    if (head === "-i" || (name === "ffprobe" && !head.startsWith("-"))) {
      const input = head === "-i" ? args[++index] : word;
      if (input !== undefined) media(input, out, true);
    } else if (
      /^-(filter_script|filter_complex_script|attach|dump_attachment|init_hw_device|pass(logfile)?|vstats_file|sdp_file|progress|f_)$/.test(
        head,
      ) ||
      head === "-report"
    ) {
      out.opaque(`${name} ${head} names a further file`);
      index += 1;
    } else if (
      head === "-f" &&
      /^(tee|hls|dash|segment|stream_segment|ssegment|fifo|smoothstreaming)$/.test(textOf(args[index + 1]) ?? "")
    ) {
      out.opaque(`${name}: this format writes files that its output names`);
      index += 1;
    } else if (head.startsWith("-") && head !== "-") index += switches.test(head) ? 0 : 1;
    else if (head !== "-") media(word, out, false);
  }
}

function media(word: Word, out: Call["out"], input: boolean): void {
  const text = spelling(word) ?? "";
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? parseAddress(text) : undefined;
  if (address !== undefined) out.reach(address.host, address.port);
  else if (/^(concat|pipe|subfile|async|cache|crypto|data|tee|md5|hls|lavfi|amovie|movie):/i.test(text)) {
    if (!/^pipe:/i.test(text)) out.opaque(`ffmpeg reads or writes further files by ${text}`);
  } else if (input) out.read(word);
  else out.write(text.includes("%") ? { kind: "glob", pattern: text.replace(/%0?\d*d/g, "*") } : word);
}

/** `docker cp`: one side is `container:path`, the other a local path; a copied folder lands below or as the target. */
function containerCopy(words: readonly Word[], out: Call["out"]): void {
  const [source, target] = words;
  if (source === undefined || target === undefined) return;
  if (remotePlace(spelling(source) ?? "") === undefined && textOf(source) !== "-") out.readTree(source);
  if (remotePlace(spelling(target) ?? "") === undefined && textOf(target) !== "-") out.writeTree(target);
}

const dockerTable = `-a,--archive,--all -L,--follow-link -q,--quiet -f,--file,--filter=. -o,--output=w -i,--input=r -t,--tag=. --format=. --no-trunc
  -n,--last,--namespace=. -s,--size --build-arg=. --target=. --progress=. --no-cache --pull -H,--host=x --context=x --config=x
  -l,--log-level=. --platform=. --tail=. --since=. --until=. --timestamps --follow -c,--container=.`;

/** docker(1) and podman(1): only copies and listings can be read from the words. */
const docker: Operands = (parsed, { out, name }) => {
  const words = /^(container|image)$/.test(textOf(parsed.operands[0]) ?? "")
    ? parsed.operands.slice(1)
    : parsed.operands;
  const verb = verbOf(words[0]);
  if (verb === "cp") containerCopy(words.slice(1), out);
  else if (verb === "save" || verb === "export") {
    if (!has(parsed, "-o")) return;
  } else if (verb === "load" || verb === "import") {
    for (const word of words.slice(1, 2)) if (verb === "import" && textOf(word) !== "-") out.read(word);
    out.opaque(`${name} ${verb} changes images`);
  } else if (verb === "build") {
    for (const word of words.slice(1))
      if (textOf(word) !== "-" && !/:\/\//.test(textOf(word) ?? "")) out.readTree(word);
    const file = valueOf(parsed, "-f");
    if (file !== undefined && textOf(file) !== "-") out.read(file);
    out.opaque(`${name} build runs the steps of its file`);
  } else if (!/^(ps|images|ls|inspect|logs|version|info|history|port|top|stats|diff|events|search|)$/.test(verb))
    out.opaque(`${name} ${verb} acts on containers`);
};

const kubectl: Operands = (parsed, { out, name }) => {
  const verb = verbOf(parsed.operands[0]);
  const file = valueOf(parsed, "-f");
  if (verb === "cp") containerCopy(parsed.operands.slice(1), out);
  if (file !== undefined && textOf(file) !== "-") {
    if (/:\/\//.test(textOf(file) ?? "")) out.reach("*", 443);
    else out.readTree(file);
  }
  out.reach("*", 443);
  if (verb !== "cp") out.opaque(`${name} ${verb} acts on a cluster`);
};

/** Places where a converter puts its result when the second operand may be a folder. */
const lastIsTarget: Operands = (parsed, { out }) => {
  const target = parsed.operands.at(-1);
  for (const word of parsed.operands.slice(0, -1)) out.read(word);
  if (target === undefined) return;
  if (namesFolder(target)) out.writeTree(target);
  else out.write(target);
};

/** crontab(1): the table of the home's owner. */
const crontab: Operands = (parsed, { out }) => {
  const user = textOf(valueOf(parsed, "-u")) ?? out.home.slice(out.home.lastIndexOf("/") + 1);
  const table = inFolder(literal("/var/spool/cron/crontabs"), literal(user === "" ? "root" : user));
  const file = parsed.operands[0];
  if (has(parsed, "-l")) return out.read(table);
  if (has(parsed, "-r")) return out.remove(table);
  if (has(parsed, "-e")) out.opaque("crontab -e starts an editor");
  if (file !== undefined && textOf(file) !== "-") out.read(file);
  out.write(table);
};

/** Single-purpose tools that open named files. */
export const tools: Family = [
  [
    "sqlite3",
    program(
      `--readonly --json --csv --header --noheader --list --column --line --html --markdown --table --box --quote --bail --batch --echo
        --stats --version -init=x -cmd=x -separator=. -newline=. -nullvalue=. -vfs=. -mmap=. --safe --interactive -A!`,
      sqlite,
      "words",
    ),
  ],
  [
    "psql mysql mariadb mongo mongosh redis-cli cqlsh clickhouse-client duckdb usql",
    {
      run: ({ out, name }) => {
        out.reach("*", 0);
        out.opaque(`${name}: its statements may read and write files`);
      },
    },
  ],
  [
    "pg_dump pg_dumpall mysqldump pg_restore",
    {
      run: ({ out, name }) => {
        out.reach("*", 0);
        out.opaque(`${name} talks with a database`);
      },
      takesPaths: true,
    },
  ],
  ["ffmpeg ffprobe", { run: ffmpeg }],
  ["docker podman nerdctl", program(dockerTable, docker, "exact")],
  [
    "kubectl oc helm",
    program(
      `${dockerTable} -k,--kustomize=R --kubeconfig=x -R,--recursive -w,--watch --dry-run=?. -A --cascade=?.`,
      kubectl,
      "exact",
    ),
  ],
  [
    "docker-compose podman-compose vagrant terraform tofu pulumi ansible ansible-playbook packer rclone",
    unseen("it acts on machines or accounts elsewhere", { takesPaths: true }),
  ],
  [
    // Among their words are names that look like paths: `gh api /repos`, `aws ssm get-parameter --name /a/b`.
    "aws gcloud az gh glab hub heroku vercel netlify fly flyctl firebase wrangler doctl s3cmd gsutil",
    unseen("it acts on machines or accounts elsewhere"),
  ],
  ["crontab", program("-u=. -l -r -e -i -T=r -n -V", crontab)],
  [
    "qpdf",
    program(
      "--linearize --empty --encrypt=. --decrypt --password=. --pages=. --split-pages=?. --rotate=. --check! --replace-input!",
      lastIsTarget,
    ),
  ],
  [
    "rsvg-convert inkscape cwebp dwebp pngquant optipng jpegoptim svgo tesseract wkhtmltopdf gs sox lame flac oggenc heif-convert soffice libreoffice",
    unseen("a converter whose output name is not read here", { takesPaths: true }),
  ],
  [
    "vim vi nvim ex gvim vimdiff emacs emacsclient nano pico micro joe ed red kak hx ne mcedit jed code subl atom gedit kate",
    { run: editor },
  ],
  [
    "source .",
    {
      run: ({ args, out }) => {
        const file = args[0];
        if (file !== undefined) out.read(file);
      },
    },
  ],
  [
    "history",
    program("-cps -a -w -r -n -d=.", (parsed, { out }) => {
      const file = parsed.operands[0];
      if (!has(parsed, "-a", "-w", "-r", "-n")) return;
      if (has(parsed, "-r", "-n")) out.read(file ?? inFolder(literal(out.home), literal(".bash_history")));
      else out.write(file ?? inFolder(literal(out.home), literal(".bash_history")));
    }),
  ],
];

/** An editor writes the files that it is given, and its commands may do anything. */
function editor({ args, out, name }: Call): void {
  // ed and ex know -s as a switch, vim as a file of key strokes.
  const valued = /^(ed|red|ex)$/.test(name)
    ? /^(-[a-zA-Z]*c|--cmd|-p)$/
    : /^(-[a-zA-Z]*c|--cmd|-[uUiwWsTtqS]|-l|--load|--eval|-f|--funcall|--goto)$/;
  let literalOnly = false;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index];
    if (word === undefined) continue;
    const head = headOf(word);
    if (!literalOnly && head === "--") literalOnly = true;
    else if (!literalOnly && valued.test(head)) {
      const value = args[++index];
      if (/^-[wW]$/.test(head) && value !== undefined) out.write(value);
      if (/^(-[sSul]|--load)$/.test(head) && value !== undefined) out.read(value);
    } else if (literalOnly || !/^[-+]/.test(head)) out.write(word);
  }
  out.opaque(`${name}: editor commands may write more`);
}
