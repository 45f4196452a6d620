import type { Word } from "../simple-command.ts";
import type { Collector } from "./collector.ts";
import { makeFolderAbove, makeWithParents } from "./folders.ts";
import { has, valuesOf, valueOf, type ParsedOptions } from "./parse-options.ts";
import { program, type Call, type Family, type Operands } from "./program.ts";
import { parseAddress } from "./url.ts";
import { dropHead, headOf, inFolder, isAbsolute, literal, patternOf, spelling, textOf } from "./words.ts";

/** Long options without a value; each also exists as `--no-NAME`. */
const switches =
  `anyauth append basic ca-native cert-status compressed compressed-ssh create-dirs crlf digest disable-eprt disable-epsv
    disallow-username-in-url doh-cert-status doh-insecure fail-early false-start form-escape ftp-create-dirs ftp-pasv ftp-pret
    ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-control globoff haproxy-protocol http0.9 http1.0 http1.1 http2 http2-prior-knowledge http3
    http3-only ignore-content-length insecure ipv4 ipv6 junk-session-cookies list-only location location-trusted mail-rcpt-allowfails manual
    metalink mptcp negotiate netrc netrc-optional next alpn buffer clobber keepalive npn progress-meter sessionid ntlm ntlm-wb out-null
    parallel parallel-immediate path-as-is post301 post302 post303 progress-bar proxy-anyauth proxy-basic proxy-ca-native proxy-digest
    proxy-http2 proxy-insecure proxy-negotiate proxy-ntlm proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel raw
    remote-header-name remote-name-all remote-time remove-on-error retry-all-errors retry-connrefused sasl-ir show-error show-headers silent
    skip-existing socks5-basic socks5-gssapi socks5-gssapi-nec ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd
    ssl-revoke-best-effort sslv2 sslv3 styled-output suppress-connect-headers tcp-fastopen tcp-nodelay tftp-no-options tlsv1 tlsv1.0 tlsv1.1
    tlsv1.2 tlsv1.3 tr-encoding trace-ids trace-time use-ascii verbose xattr fail fail-with-body get head include disable`
    .split(/\s+/)
    .flatMap((name) => [`--${name}`, `--no-${name}`])
    .join(" ");

const options = `${switches} -#0123469aBfgGiIjJklLMnNOpqRsSvVZ: -O,--remote-name -J,--remote-header-name -o,--output=. --output-dir=. -K,--config=o
  -c,--cookie-jar=u -D,--dump-header=u --trace=u --trace-ascii=u --stderr=u --hsts=w --alt-svc=w --etag-save=w --etag-compare=r --libcurl=u
  --ssl-sessions=w --netrc-file=r --cacert=r --capath=R --proxy-cacert=r --proxy-capath=R -E,--cert=. --proxy-cert=. --key=r --proxy-key=r
  --crlfile=r --proxy-crlfile=r --pubkey=r --engine=x --egd-file=r --random-file=r -T,--upload-file=. -d,--data,--data-ascii=.
  --data-binary=. --data-raw=. --data-urlencode=. --json=. -F,--form=. --form-string=. -H,--header=. --proxy-header=. -b,--cookie=.
  -w,--write-out=. --variable=. --expand-data=x --expand-url=x --expand-output=x --expand-header=x --url=. --url-query=. -x,--proxy=.
  --preproxy=. --proxy1.0=. --socks4=. --socks4a=. --socks5=. --socks5-hostname=. --doh-url=. --dns-servers=. --dns-interface=.
  --dns-ipv4-addr=. --dns-ipv6-addr=. --connect-to=. --resolve=. --unix-socket=x --abstract-unix-socket=x --interface=. --local-port=.
  -A,--user-agent=. -C,--continue-at=. -e,--referer=. -m,--max-time=. --connect-timeout=. --expect100-timeout=.
  --happy-eyeballs-timeout-ms=. --keepalive-time=. --keepalive-cnt=. --limit-rate=. --rate=. --max-filesize=. --max-redirs=. -P,--ftp-port=.
  -Q,--quote=. -r,--range=. --request-target=. -X,--request=. --retry=. --retry-delay=. --retry-max-time=. -t,--telnet-option=. -u,--user=.
  -U,--proxy-user=. -y,--speed-time=. -Y,--speed-limit=. -z,--time-cond=. --ciphers=. --proxy-ciphers=. --tls13-ciphers=.
  --proxy-tls13-ciphers=. --tls-max=. --tlsuser=. --tlspassword=. --tlsauthtype=. --curves=. --cert-type=. --key-type=. --pass=.
  --proxy-pass=. --pinnedpubkey=. --proxy-pinnedpubkey=. --aws-sigv4=. --oauth2-bearer=. --login-options=. --delegation=. --service-name=.
  --proxy-service-name=. --socks5-gssapi-service=. --sasl-authzid=. --krb=. --mail-auth=. --mail-from=. --mail-rcpt=. --noproxy=. --proto=.
  --proto-default=. --proto-redir=. --parallel-max=. --parallel-max-host=. --postquote=. --prequote=. --ftp-account=.
  --ftp-alternative-to-user=. --ftp-method=. --ftp-ssl-ccc-mode=. --hostpubmd5=. --hostpubsha256=. --create-file-mode=. --tftp-blksize=.
  --trace-config=. --ip-tos=. --vlan-priority=. --ech=. --sigalgs=. -h=?.`;

/** Options whose value is another host that curl talks to. */
const hostOptions = [
  "-x",
  "--preproxy",
  "--proxy1.0",
  "--socks4",
  "--socks4a",
  "--socks5",
  "--socks5-hostname",
  "--doh-url",
];

const curl: Operands = (parsed, call) => {
  const { out } = call;
  const addresses = [...parsed.operands, ...valuesOf(parsed, "--url")];
  for (const word of addresses) reachAddress(word, out);
  for (const name of hostOptions) for (const word of valuesOf(parsed, name)) reachAddress(word, out);
  for (const word of [...valuesOf(parsed, "--connect-to"), ...valuesOf(parsed, "--resolve")]) redirectHost(word, out);
  writeOutputs(parsed, addresses, out);
  readBodies(parsed, out);
};

function reachAddress(word: Word, out: Collector): void {
  const text = spelling(word);
  if (text?.startsWith("@") === true) out.opaque("curl takes addresses from a file", "dynamic");
  else if (/^file:/i.test(headOf(word))) out.read(literal((text ?? "").replace(/^file:(\/\/[^/]*)?/i, "")));
  else if (text === undefined) out.reach("*", 443);
  else {
    const address = parseAddress(text);
    if (address !== undefined) out.reach(address.host, address.port);
  }
}

/** `--resolve host:port:address` and `--connect-to host:port:host:port` send the request elsewhere. */
function redirectHost(word: Word, out: Collector): void {
  const text = spelling(word) ?? "";
  const match = /^[+-]?(?:\[[^\]]*\]|[^:]*):(\d*):(\[[^\]]*\]|[^:,]*)(?::(\d*))?/.exec(text);
  if (match?.[2] !== undefined && match[2] !== "") out.reach(match[2], Number(match[3] ?? match[1] ?? 0) || 443);
}

function writeOutputs(parsed: ParsedOptions, addresses: readonly Word[], out: Collector): void {
  const folder = valueOf(parsed, "--output-dir");
  const place = (word: Word): Word => (folder === undefined || isAbsolute(word) ? word : inFolder(folder, word));
  for (const name of valuesOf(parsed, "-o")) {
    if (textOf(name) === "-") continue;
    const word = place(name);
    if (has(parsed, "--create-dirs")) makeFolderAbove(word, out);
    if (/#\d/.test(textOf(name) ?? "")) out.write({ kind: "glob", pattern: patternOf(word).replace(/#\d+/g, "*") });
    else out.write(word);
  }
  if (!has(parsed, "-O", "--remote-name-all")) return;
  if (folder !== undefined && has(parsed, "--create-dirs")) makeWithParents(folder, out);
  for (const word of addresses) {
    const file = parseAddress(spelling(word) ?? "")?.file ?? "";
    if (has(parsed, "-J") || /^\.{0,2}$/.test(file) || /[{}[\]]/.test(spelling(word) ?? ""))
      out.writeTree(folder ?? literal("."));
    else out.write(place(literal(file)));
  }
}

/** Files that are sent: `@file` in data and headers, `name=@file` in forms, uploads. */
function readBodies(parsed: ParsedOptions, out: Collector): void {
  const send = (word: Word): void => (textOf(word) === "-" ? undefined : out.read(word));
  for (const name of ["-d", "--data-binary", "--json", "-H", "--proxy-header", "-w"]) {
    for (const word of valuesOf(parsed, name)) if (headOf(word).startsWith("@")) send(dropHead(word, 1));
  }
  for (const word of [
    ...valuesOf(parsed, "--data-urlencode"),
    ...valuesOf(parsed, "--variable"),
    ...valuesOf(parsed, "--url-query"),
  ]) {
    const at = /^[^=@]*@/.exec(headOf(word));
    if (at !== null) send(dropHead(word, at[0].length));
  }
  for (const word of valuesOf(parsed, "-F")) {
    const start = /^[^=]*=[@<]/.exec(headOf(word));
    if (start === null) continue;
    const text = textOf(word);
    if (text === undefined) send(dropHead(word, start[0].length));
    else
      for (const file of (text.slice(start[0].length).split(";")[0] ?? "").split(","))
        send(literal(file.replaceAll('"', "")));
  }
  for (const word of valuesOf(parsed, "-T")) if (textOf(word) !== ".") send(word);
  for (const word of valuesOf(parsed, "-b")) if (!headOf(word).includes("=")) send(word);
  for (const word of [...valuesOf(parsed, "-E"), ...valuesOf(parsed, "--proxy-cert")])
    send(textOf(word) === undefined ? word : literal((textOf(word) ?? "").replace(/(?<!\\):.*$/s, "")));
  for (const word of valuesOf(parsed, "-w"))
    if (/%output\{/.test(textOf(word) ?? "")) out.opaque("curl -w %output{} writes files");
}

function reachOnly(standard: string): (parsed: ParsedOptions, call: Call) => void {
  return (parsed, { out }) => {
    for (const word of parsed.operands) {
      const text = spelling(word);
      const address = text === undefined ? undefined : parseAddress(text, standard);
      if (text !== undefined && /^(GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)$/.test(text)) continue;
      if (address !== undefined) out.reach(address.host, address.port);
      break;
    }
  };
}

/** curl(1), and HTTPie, which has its own small syntax. */
export const curls: Family = [
  ["curl curlie", program(options, curl)],
  [
    "http https xh xhs",
    program(
      `-jfvhbmFISpqdcx -o,--output=u -a,--auth=. -A,--auth-type=. --timeout=. --follow --verify=. --form --json --body --headers --verbose
        --check-status --ignore-stdin --pretty=. --print=. --style=. --download! --session=x --session-read-only=x --cert=r --cert-key=r
        --proxy=x --raw=. --max-redirects=. --offline`,
      reachOnly("http"),
    ),
  ],
];
