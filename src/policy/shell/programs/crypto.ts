import type { Word } from "../simple-command.ts";
import { has, valueOf, valuesOf } from "./parse-options.ts";
import { program, type Call, type Family, type Operands } from "./program.ts";
import { dropHead, headOf, inFolder, literal, textOf, verbOf, withSuffix } from "./words.ts";

const opensslWrites =
  /^-(out|keyout|writerand|serial_out|sess_out|msg_out|keylogfile|reqout|respout|text_out|certsout|certout|crlout|genout)$/;
const opensslReads =
  /^-(in|inform_file|key|inkey|cert|certfile|CAfile|CA|CAkey|CApath|signkey|privin|pubin_file|kfile|rand|signature|sigfile|verify|prverify|sign|content|recip|untrusted|crl|crl_check_file|queryfile|issuer|chain|trusted|extfile|sess_in|psk_session|cert_chain|data|peerkey|dhparam|passwd_file|secret_file|oid)$/;
const opensslRuns = /^-(engine|provider|provider-path|config|propquery|engine_impl|loadengine|keygen_engine)$/;
/** Operands of these commands are files; for the others they are sizes and names. */
const opensslFiles =
  /^(dgst|verify|md5|sha1|sha224|sha256|sha384|sha512|sha3-\d+|blake2\w+|rmd160|storeutl|rehash|pkeyutl_)$/;

/** openssl(1): a command, then options with one dash, nearly all with a value in the next word. */
function openssl({ args, out }: Call): void {
  const [verb, ...rest] = args;
  const name = verbOf(verb);
  if (name === "?") out.opaque("openssl: what it is to do is not known");
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index];
    const head = word === undefined ? "" : headOf(word);
    const value = rest[index + 1];
    if (word === undefined) continue;
    if (!head.startsWith("-")) {
      if (opensslFiles.test(name)) out.read(word);
      continue;
    }
    if (/^-?-(connect|proxy|accept|host|url)$/.test(head) && value !== undefined) reachPair(value, out);
    else if (opensslRuns.test(head)) out.opaque(`openssl ${head} loads code or further options`);
    else if (opensslWrites.test(head) && value !== undefined) out.write(value);
    else if (opensslReads.test(head) && value !== undefined) out.read(value);
    else if (/^-(pass|passin|passout|password)$/.test(head) && value !== undefined) {
      if (headOf(value).startsWith("file:")) out.read(dropHead(value, 5));
    } else if (
      /^-([a-z0-9]+(-[a-z0-9]+)+|d|e|a|A|base64|salt|nosalt|nopad|pbkdf2|noout|text|nodes|noenc|new|x509|hex|r|c|binary|batch|utf8|pubout|pubin|modulus|fingerprint|subject|dates|startdate|enddate|aes\d+|des3?|sha\d+|md5|verbose|quiet|purpose|ocsp_uri|email|ext|trace|showcerts|status|tls1(_\d)?|www|WWW|HTTP|param_out|check|serial|nokeys|nocerts|clcerts|cacerts|export|info|twopass|legacy|selfsign|gencrl|revoke_)$/.test(
        head,
      )
    )
      continue;
    if (value !== undefined && !headOf(value).startsWith("-")) index += 1;
  }
  if (/^(ca|ts|ocsp|cmp|engine|s_server|s_client|s_time|speed|prime_)$/.test(name) && name !== "s_client")
    out.opaque(`openssl ${name} keeps files that its configuration names`);
}

function reachPair(word: Word, out: Call["out"]): void {
  const match = /^(?:https?:\/\/)?(\[[^\]]*\]|[^:/]+)(?::(\d+))?/.exec(textOf(word) ?? "");
  out.reach(match?.[1] ?? "*", Number(match?.[2] ?? 443));
}

/** gpg(1): commands are options, too. Keys are kept below the home folder. */
const gpg: Operands = (parsed, { out }) => {
  const home = valueOf(parsed, "--homedir") ?? inFolder(literal(out.home), literal(".gnupg"));
  if (
    has(
      parsed,
      "--import",
      "--update-trustdb",
      "--quick-add-uid",
      "--quick-revoke-uid",
      "--quick-set-expire",
      "--quick-sign-key",
      "--quick-lsign-key",
      "--quick-revoke-sig",
      "--change-passphrase",
      "--edit-card",
      "--gen-key",
      "--edit-key",
      "--delete-keys",
      "--sign-key",
      "--recv-keys",
      "--refresh-keys",
      "--import-ownertrust",
    )
  )
    out.writeTree(home);
  if (has(parsed, "--recv-keys", "--send-keys", "--search-keys", "--refresh-keys")) return out.reach("*", 443);
  if (
    has(
      parsed,
      "-k",
      "-K",
      "--gen-key",
      "--edit-key",
      "--delete-keys",
      "--sign-key",
      "--export",
      "--export-secret-keys",
      "--fingerprint",
      "--check-sigs",
    )
  )
    return;
  for (const word of parsed.operands) if (textOf(word) !== "-") out.read(word);
  if (has(parsed, "-o", "--verify", "-d", "--import", "--list-packets", "--print-md")) return;
  const source = parsed.operands[0];
  if (source === undefined) return;
  const armor = has(parsed, "-a");
  if (has(parsed, "-b")) out.write(withSuffix(source, armor ? ".asc" : ".sig"));
  else if (has(parsed, "--clearsign")) out.write(withSuffix(source, ".asc"));
  else if (has(parsed, "-e", "-c", "-s")) out.write(withSuffix(source, armor ? ".asc" : ".gpg"));
  else out.write(literal((textOf(source) ?? "").replace(/\.(gpg|asc|pgp|sig)$/, "")));
};

const keygen: Operands = (parsed, { out, name }) => {
  const ssh = inFolder(literal(out.home), literal(".ssh"));
  const kind = (textOf(valueOf(parsed, "-t")) ?? "ed25519").toLowerCase().replace("-", "_");
  const file = valueOf(parsed, "-f");
  if (has(parsed, "-D", "-Y", "-K", "-A")) return out.opaque(`${name}: what it does depends on a module or a verb`);
  if (has(parsed, "-R", "-H")) return out.write(file ?? inFolder(ssh, literal("known_hosts")));
  if (has(parsed, "-s") && file === undefined) {
    for (const word of valuesOf(parsed, "-s")) out.read(word);
    for (const word of parsed.operands) out.write(literal(`${(textOf(word) ?? "").replace(/\.pub$/, "")}-cert.pub`));
    return;
  }
  const key = file ?? inFolder(ssh, literal(`id_${kind}`));
  if (has(parsed, "-l", "-y", "-e", "-i", "-B", "-F", "-L", "-Q", "-M"))
    return textOf(key) === "-" ? undefined : out.read(key);
  out.write(key);
  if (!has(parsed, "-p", "-c")) out.write(withSuffix(key, ".pub"));
};

const gpgOptions = `-o,--output=w -d,--decrypt -e,--encrypt -c,--symmetric -s,--sign -b,--detach-sign,--detach-sig -a,--armor,--armour
  --clearsign,--clear-sign --verify --import --export --export-secret-keys -k,--list-keys,--list-public-keys -K,--list-secret-keys
  --fingerprint --check-sigs --list-sigs --list-packets --print-md --list-signatures --check-signatures --card-status --update-trustdb
  --generate-revocation,--gen-revoke --quick-add-uid --quick-revoke-uid --quick-set-expire --quick-sign-key --quick-lsign-key
  --quick-revoke-sig --change-passphrase,--passwd --edit-card,--card-edit --change-pin --server! --openpgp --tofu-policy=. --log-file=w
  --encrypt-to=. --group=. --auto-key-locate=. --auto-key-import --include-key-block --disable-dirmngr
  --gen-key,--full-generate-key,--generate-key,--quick-generate-key,--quick-gen-key,--full-gen-key --edit-key
  --delete-keys,--delete-key,--delete-secret-keys,--delete-secret-key --sign-key,--lsign-key --recv-keys,--receive-keys,--recv-key
  --send-keys --search-keys --refresh-keys --import-ownertrust --export-ownertrust -r,--recipient=. -R,--hidden-recipient=.
  -u,--local-user=. --default-key=. --homedir=. --keyserver=. --keyring=r --secret-keyring=r --primary-keyring=r --no-default-keyring
  --passphrase=. --passphrase-file=r --passphrase-fd=. --pinentry-mode=. --batch --yes --no --no-tty --trust-model=. --cipher-algo=.
  --digest-algo=. --compress-algo=. -z=. --s2k-mode=. --s2k-digest-algo=. --s2k-cipher-algo=. --s2k-count=. --status-fd=. --status-file=w
  --logger-file=w --logger-fd=. --command-fd=. --command-file=r --attribute-file=w --with-colons --with-fingerprint --keyid-format=.
  -q,--quiet -v,--verbose -t,--textmode -n,--dry-run -i,--interactive --options=o --photo-viewer=x --exec-path=x --agent-program=x
  --dirmngr-program=x --multifile --no-options --always-trust --max-output=. --set-filename=. -f,--recipient-file=r`;

/** Programs for keys, signatures and encryption. */
export const crypto: Family = [
  ["openssl", { run: openssl }],
  ["gpg gpg2", program(gpgOptions, gpg)],
  ["gpgv", program("--keyring=r --homedir=. --output,-o=w --status-fd=. --logger-fd=. -q,--quiet -v,--verbose", "r*")],
  [
    "ssh-keygen",
    program(
      `-f=. -t=. -b=. -C=. -N=. -P=. -m=. -a=. -O=. -Z=. -V=. -z=. -I=. -n=. -s=. -D=. -Y=. -E=. -F=. -R=. -r=. -w=x -M=. -J=. -j=. -S=.
        -W=. -AcegHhiKklLpQquUvxyBX`,
      keygen,
    ),
  ],
  ["ssh-add", program("-cDdkKLlqvXxT -E=. -e=x -H=r -h=. -S=x -s=x -t=.", "r*")],
  [
    "age rage",
    program(
      "-e,--encrypt -d,--decrypt -a,--armor -p,--passphrase -o,--output=u -r,--recipient=. -R,--recipients-file=r -i,--identity=r -j=x",
      "r",
    ),
  ],
  ["age-keygen", program("-o,--output=w -y -pq", "r")],
  [
    "minisign signify",
    program("-CGHLPQqRSVWflenz -c=. -m=. -o=w -p=w -s=w -t=. -x=w", (parsed, { out }) => {
      for (const word of valuesOf(parsed, "-m")) out.read(word);
    }),
  ],
  [
    "mkcert certbot step",
    {
      run: ({ out, name }) => {
        out.writeTree(literal("."));
        out.opaque(`${name} keeps keys where its configuration says`);
      },
    },
  ],
];
