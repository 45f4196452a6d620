import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { analyse } from "./analyse.ts";

const folder = mkdtempSync(join(tmpdir(), "shell-"));
const log = join(folder, "ran");
writeFileSync(join(folder, "zap"), `#!/bin/bash\n: > ${log}\n`);
chmodSync(join(folder, "zap"), 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Places where bash may or may not run a substitution. Nothing in them can do harm. */
const argument = fc.constantFrom(
  "x",
  "'$(zap)'",
  '"$(zap)"',
  "`zap`",
  "<(zap)",
  "\\$(zap)",
  "\\`zap\\`",
  '"\\$(zap)"',
  '"\\\\$(zap)"',
  "$'\\'$(zap)'",
  "${u:-$(zap)}",
  "${u:-'$(zap)'}",
  "\"${u:-'$(zap)'}\"",
  "$(( '$(zap)' ))",
  "$[ '$(zap)' ]",
  "$((a[$(zap)]))",
  "${u/x/$(zap)}",
  "${v:'$(zap)'}",
  "${v^^$(zap)}",
  "${v~~$(zap)}",
  "${a['$(zap)']}",
  "{a,$(zap)}",
  "a#$(zap)",
  "#$(zap)",
  "[$(zap)]",
  '"`echo \\`zap\\``"',
  '"$(echo "$(zap)")"',
  "$(echo zap)",
);

const simple = fc.oneof(
  fc.constantFrom(
    "zap",
    "z\\ap",
    "$'\\x7aap'",
    "{zap,x}",
    "$v",
    '"${v}"',
    "${u:-zap}",
    "$(echo zap)",
    '"$@"',
    "${a[0]}",
    "echo zap | bash",
    "bash <<< zap",
  ),
  fc.constantFrom(
    "[ 'a[$(zap)]' -eq 0 ]",
    "test -v 'a[$(zap)]'",
    "let 'x[$(zap)]=1'",
    "printf -v 'x[$(zap)]' a",
    "x='a[$(zap)]'; echo $((x))",
    "declare -n r='a[$(zap)]'; echo $r",
  ),
  argument.map((text) => `echo ${text}`),
  argument.map((text) => `x=${text}`),
  argument.map((text) => `x[${text}]=1`),
  argument.map((text) => `x=(1 ${text})y`),
  argument.map((text) => `cat <<E\n${text}\nE\n`),
  argument.map((text) => `cat <<'E'\n${text}\nE\n`),
  argument.map((text) => `cat <<-E\n\t${text}\n\tE\n`),
  argument.map((text) => `[[ -n ${text} ]]`),
  argument.map((text) => `true # ${text}`),
  argument.map((text) => `case ${text} in *) ;; esac`),
);

const around: fc.Arbitrary<(text: string) => string> = fc.constantFrom<((text: string) => string)[]>(
  (text) => `eval ${quote(text)}`,
  (text) => `bash -c ${quote(text)} zap zap`,
  (text) => `echo ${quote(text)} | bash`,
  (text) => `bash <<'Q'\n${text}\nQ\n`,
  (text) => `v=zap; ${text}`,
  (text) => `a=(zap); set -- zap; ${text}`,
  (text) => `f() { ${text}\n}; f zap`,
  (text) => `true && k() { ${text}\n}; k | cat`,
  (text) => `for v in a zap; do ${text}\ndone`,
  (text) => `if true; then ${text}\nfi`,
  (text) => `( ${text}\n)`,
  (text) => `true | { ${text}\n}`,
  (text) => `echo "$( ${text}\n)"`,
  (text) => `trap ${quote(text)} EXIT`,
  (text) => `# '\n${text}`,
  (text) => `alias x=${quote(text)}`,
);

const noise = fc.constantFrom("", "", "", "'", '"', "`", ")", "}", "\\", "#", "\n", "$(", "${", "((");

function bashRuns(text: string): boolean {
  rmSync(log, { force: true });
  spawnSync("bash", ["--noprofile", "--norc", "-c", text], {
    cwd: folder,
    env: { PATH: `${folder}:/usr/bin:/bin`, HOME: "/home/u" },
    stdio: "ignore",
    timeout: 20_000,
  });
  return existsSync(log);
}

// Every run may start a bash: slow on a loaded machine.
it("sees or asks about every command that bash runs", { timeout: 300_000 }, () => {
  const script = fc
    .tuple(simple, fc.array(around, { maxLength: 3 }), noise, fc.nat())
    .map(([inner, places, extra, place]) => {
      const text = places.reduce((sum, wrap) => wrap(sum), inner);
      const at = place % (text.length + 1);
      return text.slice(0, at) + extra + text.slice(at);
    });
  fc.assert(
    fc.property(script, (text) => {
      const { effects } = analyse(text);
      const seen = effects.some(
        (effect) => effect.kind === "opaque" || (effect.kind === "run" && effect.program === "zap"),
      );
      expect(seen || !bashRuns(text)).toBe(true);
    }),
    { numRuns: 400 },
  );
});
