import type { Word } from "../simple-command.ts";
import type { Collector } from "./collector.ts";
import { has, valueOf, valuesOf, type ParsedOptions } from "./parse-options.ts";
import { program, type Call, type Family, type Operands, type Program } from "./program.ts";
import { remotePlace, type Address } from "./url.ts";
import { baseOf, inFolder, literal, namesFolder, shown, spelling, textOf } from "./words.ts";

/** ssh_config(5) keywords that name no program, no file that is written and no further configuration. */
const harmless =
  /^(addkeystoagent|addressfamily|batchmode|bindaddress|checkhostip|ciphers|compression|connectionattempts|connecttimeout|gssapi\w+|hashknownhosts|hostkeyalgorithms|identitiesonly|ipqos|kbdinteractiveauthentication|kexalgorithms|loglevel|macs|numberofpasswordprompts|passwordauthentication|port|preferredauthentications|pubkeyacceptedalgorithms|pubkeyauthentication|rekeylimit|requesttty|serveralive\w+|stricthostkeychecking|tcpkeepalive|updatehostkeys|user|visualhostkey)\b/i;

/** What `-o`, `-J` and `-F` of the ssh family mean. */
function sshOptions(parsed: ParsedOptions, { out, name }: Call): void {
  for (const word of valuesOf(parsed, "-o")) {
    if (!harmless.test(textOf(word) ?? ""))
      out.opaque(`${name} -o ${textOf(word) ?? "…"} can start programs or choose files`);
  }
  for (const word of valuesOf(parsed, "-J")) {
    for (const hop of (spelling(word) ?? "*").split(",")) {
      const parts = /^(?:[^@]*@)?(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(hop.replace(/^ssh:\/\//, ""));
      out.reach(parts?.[1] ?? "*", Number(parts?.[2] ?? 22));
    }
  }
}

function reachHost(word: Word | undefined, parsed: ParsedOptions, out: Collector): void {
  if (word === undefined) return;
  const text = spelling(word)?.replace(/^ssh:\/\//, "");
  const parts = text === undefined ? null : /^(?:[^@]*@)?(\[[^\]]+\]|[^:/]+)(?::(\d+))?/.exec(text);
  out.reach(parts?.[1] ?? "*", Number(textOf(valueOf(parsed, "-p")) ?? parts?.[2] ?? 22) || 22);
}

const ssh: Operands = (parsed, call) => {
  sshOptions(parsed, call);
  reachHost(parsed.operands[0], parsed, call.out);
  call.out.opaque("ssh runs commands on another host");
};

/** Copies between hosts: a local source is read, a local target is written, a remote place is reached. */
function transfer(parsed: ParsedOptions, { out }: Call, deep: boolean, port: number): void {
  const target = parsed.operands.at(-1);
  const sources = parsed.operands.slice(0, -1);
  const reach = (place: Address): void => out.reach(place.host, place.port);
  for (const source of sources) {
    const place = remote(source, port);
    if (place !== undefined) reach(place);
    else if (deep) out.readTree(source);
    else out.read(source);
  }
  if (target === undefined) return;
  const place = remote(target, port);
  if (place !== undefined) reach(place);
  else if (sources.length === 0) out.read(target);
  else if (deep) out.writeTree(target);
  else
    for (const source of sources) landings(source, target, sources.length > 1, port).forEach((word) => out.write(word));
}

function landings(source: Word, target: Word, several: boolean, port: number): readonly Word[] {
  const place = remote(source, port);
  const base =
    place === undefined
      ? baseOf(source)
      : source.kind === "glob"
        ? { kind: "glob" as const, pattern: place.file }
        : literal(place.file);
  const below = base === undefined || textOf(base) === "" ? target : inFolder(target, base);
  return several || namesFolder(target) ? [below] : [target, below];
}

function remote(word: Word, port: number): Address | undefined {
  return remotePlace(spelling(word) ?? "", port);
}

const scp: Operands = (parsed, call) => {
  sshOptions(parsed, call);
  transfer(parsed, call, has(parsed, "-r"), Number(textOf(valueOf(parsed, "-P")) ?? 22) || 22);
};

const rsync: Operands = (parsed, call) => {
  const deep = has(parsed, "-a", "-r", "--files-from");
  for (const word of valuesOf(parsed, "-e")) {
    if (!/^ssh( -[46AaCqTtv]| -p ?\d+| -l ?[\w.-]+)*$/.test(textOf(word) ?? ""))
      call.out.opaque(`rsync starts ${shown(word)}`);
  }
  if (has(parsed, "-n", "--list-only")) {
    for (const word of parsed.operands) {
      const place = remote(word, 22);
      if (place !== undefined) call.out.reach(place.host, place.port);
      else call.out.readTree(word);
    }
    return;
  }
  transfer(parsed, call, deep, Number(textOf(valueOf(parsed, "--port")) ?? 22) || 22);
  if (has(parsed, "--remove-source-files"))
    for (const word of parsed.operands.slice(0, -1)) if (remote(word, 22) === undefined) call.out.removeTree(word);
};

/** The options of rsync(1), with what their values are. */
export const rsyncOptions = `-cvqRbuldpoEgtNUOJXSWkzhPiKLHADFCx80456Iyms -a,--archive -r,--recursive -n,--dry-run --verbose --quiet --relative --backup --update
  --links --dirs --perms --owner --group --times --omit-dir-times --xattrs --acls --sparse --whole-file --compress --human-readable
  --progress --partial --itemize-changes --copy-links --hard-links --devices --specials --delete --delete-before --delete-during
  --delete-delay --delete-after --delete-excluded --del --ignore-errors --force --inplace --append --append-verify --existing
  --ignore-existing --ignore-times --size-only --checksum --numeric-ids --safe-links --copy-unsafe-links --munge-links --keep-dirlinks
  --copy-dirlinks --executability --super --fake-super --one-file-system --prune-empty-dirs --stats --no-motd --cvs-exclude --from0
  --protect-args --secluded-args --blocking-io --delay-updates --fuzzy --open-noatime --preallocate --list-only --remove-source-files --no-o
  --no-g --no-p --no-owner --no-group --no-perms --no-times --no-links --no-recursive --no-inc-recursive --no-implied-dirs --no-whole-file
  --ipv4 --ipv6 --mkpath --trust-sender --old-args --no-compress --no-D --no-r --no-l --no-t -e,--rsh=. -f,--filter=. -T,--temp-dir=W
  --exclude=. --include=. --exclude-from=r --include-from=r --files-from=o --log-file=w --log-file-format=. --backup-dir=W --partial-dir=.
  --suffix=. --compare-dest=R --copy-dest=R --link-dest=R --write-batch=w --only-write-batch=w --read-batch=r --password-file=r
  --early-input=r --rsync-path=x -M,--remote-option=x --port=. --sockopts=. --out-format=. --bwlimit=. --chmod=. --chown=. --usermap=.
  --groupmap=. -B,--block-size=. --max-size=. --min-size=. --max-delete=. --max-alloc=. --modify-window=. --timeout=. --contimeout=.
  --compress-level=. --zl=. --compress-choice=. --zc=. --checksum-choice=. --cc=. --checksum-seed=. --skip-compress=. --info=. --debug=.
  --address=. --protocol=. --iconv=. --outbuf=. --stop-after=. --stop-at=. --copy-as=.`;

const netcat: Operands = (parsed, { out }) => {
  const [host, port] = parsed.operands;
  if (has(parsed, "-U")) out.opaque("nc -U connects to a local socket");
  if (has(parsed, "-l")) out.opaque("nc -l lets others connect");
  else if (host !== undefined) out.reach(spelling(host) ?? "*", Number(/^\d+/.exec(textOf(port) ?? "")?.[0] ?? 0));
};

/** The first operand (or the one behind a name) is a host. */
function lookup(port: number, second = false): Operands {
  return (parsed, { out }) => {
    for (const word of parsed.operands) {
      const text = spelling(word) ?? "*";
      if (text.startsWith("@")) out.reach(text.slice(1), port);
      else if (!/^[+]/.test(text)) out.reach(text, port);
    }
    const own = second ? textOf(parsed.operands[1]) : undefined;
    if (own !== undefined && /^\d+$/.test(own)) out.reach(textOf(parsed.operands[0]) ?? "*", Number(own));
  };
}

/** getent(1): the first operand is a database, of which only hosts and networks are asked of others. */
const getent: Operands = (parsed, call) => {
  const [database, ...keys] = parsed.operands;
  if (
    /^(?:passwd|group|shadow|gshadow|services|protocols|rpc|aliases|ethers|netgroup|initgroups)$/.test(
      textOf(database) ?? "",
    )
  )
    return;
  lookup(53)({ ...parsed, operands: keys }, call);
};

const sshFlags =
  "-1246AaCfGgKkMNnqsTtVvXxYy -B=. -b=. -c=. -D=. -E=w -e=. -F=x -I=x -i=r -J=. -L=. -l=. -m=. -O=. -o=. -p=. -P=. -Q=. -R=. -S=x -W=. -w=.";

const secureFtp: Program = program(
  "-46AaCfNpqrv -B=. -b=x -c=. -D=x -F=x -i=r -J=. -l=. -o=. -P=. -R=. -S=x -s=x -X=.",
  (parsed, call) => {
    sshOptions(parsed, call);
    reachHost(parsed.operands[0], parsed, call.out);
    call.out.opaque("sftp takes its commands from standard input");
  },
);

/** Programs that copy to or talk with another host. */
export const remotes: Family = [
  ["ssh autossh slogin", program(sshFlags, ssh, "posix")],
  ["scp", program("-12346ABCOpqRrTv -c=. -D=x -F=x -i=r -J=. -l=. -o=. -P=. -S=x -X=.", scp)],
  ["sftp", secureFtp],
  ["rsync", program(rsyncOptions, rsync, "exact")],
  [
    "ssh-copy-id",
    program("-fnsx -i=?r -p=. -o=. -t=. -F=x", (parsed, call) => {
      sshOptions(parsed, call);
      reachHost(parsed.operands[0], parsed, call.out);
    }),
  ],
  ["ssh-keyscan", program("-46cDHqv -f=o -p=. -T=. -t=. -O=.", lookup(22))],
  [
    "nc ncat netcat nc.openbsd nc.traditional",
    program(
      `-46bCDdFhklNnrStUuvZz -e,--exec=x -c,--sh-exec=x --lua-exec=x -I=. -i=. -M=. -m=. -O=. -o=w -P=. -p=. -q=. -s=. -T=. -V=. -W=. -w=.
        -X=. -x=x --ssl --proxy=x --listen!`,
      netcat,
    ),
  ],
  [
    "ping ping6 arping fping",
    program(
      "-346AaBbCDdfhLnOqRrUvV -c=. -e=. -F=. -g=. -I=. -i=. -l=. -M=. -m=. -p=. -Q=. -S=. -s=. -T=. -t=. -W=. -w=. -N=.",
      lookup(0),
    ),
  ],
  ["dig drill kdig", program("-46hmruv -b=. -c=. -f=o -k=r -p=. -q=. -t=. -x=. -y=.", lookup(53))],
  ["getent", program("-iV -s=. --no-addrconfig", getent)],
  ["host nslookup resolvectl", program("-46aCdilNrsTUvVw -c=. -m=. -p=. -R=. -t=. -W=. -s=. -i=.", lookup(53))],
  ["whois", program("-H -h=. -p=. -i", lookup(43))],
  [
    "traceroute tracepath mtr tcptraceroute",
    program("-46dFITAUDeVbnrx -f=. -g=. -i=. -m=. -p=. -q=. -s=. -t=. -w=. -z=. -c=.", lookup(0)),
  ],
  ["telnet", program("-468EFKLacdfrx -S=. -X=. -b=. -e=. -k=. -l=. -n=w", lookup(23, true), "posix")],
];
