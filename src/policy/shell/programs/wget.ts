import { has, valueOf, valuesOf } from "./parse-options.ts";
import { program, type Family, type Operands } from "./program.ts";
import { parseAddress } from "./url.ts";
import { literal, spelling, textOf } from "./words.ts";

const wget: Operands = (parsed, { out }) => {
  for (const word of parsed.operands) {
    const address = parseAddress(spelling(word) ?? "*");
    if (address !== undefined) out.reach(address.host, address.port);
  }
  const folder = valueOf(parsed, "-P") ?? literal(".");
  if (has(parsed, "-b") && !has(parsed, "-o", "-a")) out.write(literal("wget-log"));
  if (has(parsed, "--spider") || (parsed.operands.length === 0 && !has(parsed, "-i", "--input-metalink"))) return;
  // The server and redirects have a say in the name, and old files are renamed: anything below the folder.
  if (!has(parsed, "-O")) out.writeTree(folder);
  for (const value of valuesOf(parsed, "-O")) if (textOf(value) !== "-") out.write(value);
};

const options = `-46bcdEFHhkKLmNpqrSvVx -O,--output-document=. -o,--output-file=u -a,--append-output=u -P,--directory-prefix=. -i,--input-file=o
  --load-cookies=r --save-cookies=w --post-file=r --body-file=r --post-data=. --body-data=. --method=. --use-askpass=x --ca-certificate=r
  --ca-directory=R --certificate=r --private-key=r --crl-file=r --config=o -e,--execute=x --warc-file=w --warc-dedup=r --warc-tempdir=W
  --warc-header=. --warc-max-size=. --hsts-file=w --rejected-log=w --input-metalink=o --local-encoding=. --remote-encoding=. -n=.
  -t,--tries=. -T,--timeout=. --dns-timeout=. --connect-timeout=. --read-timeout=. -w,--wait=. --waitretry=. --random-wait -Q,--quota=.
  --bind-address=. --dns-servers=. --limit-rate=. -l,--level=. -A,--accept=. -R,--reject=. --accept-regex=. --reject-regex=. --regex-type=.
  -D,--domains=. --exclude-domains=. -I,--include-directories=. -X,--exclude-directories=. -B,--base=. -U,--user-agent=. --referer=.
  --header=. --user=. --password=. --http-user=. --http-password=. --proxy-user=. --proxy-password=. --proxy=?. --max-redirect=.
  --default-page=. --cut-dirs=. --restrict-file-names=. --prefer-family=. --progress=. --show-progress --report-speed=. --start-pos=.
  --secure-protocol=. --certificate-type=. --private-key-type=. --ciphers=. --pinnedpubkey=. --egd-file=r --random-file=r --compression=.
  --follow-tags=. --ignore-tags=. --backups=?. --retry-on-http-error=. --preferred-location=. --ftp-user=. --ftp-password=. --ftps-implicit
  --background --debug --quiet --verbose --no-verbose --force-html --continue --timestamping --no-timestamping --no-use-server-timestamps
  --no-if-modified-since --server-response --spider --no-proxy --no-dns-cache --inet4-only --inet6-only --no-clobber --no-netrc
  --no-directories --force-directories --no-host-directories --protocol-directories --no-cache --no-cookies --keep-session-cookies
  --no-http-keep-alive --ignore-length --content-disposition --content-on-error --trust-server-names --auth-no-challenge --adjust-extension
  --no-check-certificate --no-hsts --https-only --no-iri --no-glob --no-passive-ftp --no-remove-listing --preserve-permissions
  --retr-symlinks --recursive --delete-after --convert-links --convert-file-only --backup-converted --mirror --page-requisites
  --strict-comments --span-hosts --relative --no-parent --follow-ftp --no-config --xattr --metalink-over-http --metalink-index=.
  --no-warc-compression --no-warc-digests --warc-cdx --unlink --retry-connrefused --retry-on-host-error --ask-password --ignore-case
  --ftps-resume-ssl --ftps-clear-data-connection --ftps-fallback-to-ftp --no-warc-keep-log --save-headers --if-modified-since`;

/** wget(1). */
export const wgets: Family = [
  ["wget wget2", program(options, wget)],
  [
    "aria2c axel",
    program(
      `-qvVhan4 -o,--out,--output=. -d,--dir=W -x,--max-connection-per-server=. -s,--split=. -j=. -c --continue=?. -i,--input-file=o
        --on-download-complete=x --conf-path=o -l,--log=w`,
      (parsed, { out }) => {
        for (const word of parsed.operands) {
          const address = parseAddress(spelling(word) ?? "*");
          if (address !== undefined) out.reach(address.host, address.port);
        }
        if (!has(parsed, "-d")) out.writeTree(literal("."));
        const file = valueOf(parsed, "-o");
        if (file !== undefined) out.write(file);
      },
    ),
  ],
];
