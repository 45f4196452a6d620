import { afterAll, beforeAll, expect, test } from "vitest";
import type { WarmSandbox } from "../../src/sandbox/warm-sandbox.ts";
import { ensureEngine } from "./engine.ts";
import { Bench, run } from "./harness.ts";

let bench: Bench;
let sandbox: WarmSandbox;
beforeAll(async () => {
  await ensureEngine();
  bench = new Bench();
  sandbox = await bench.open();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** A repository whose configuration would run a program at every turn. */
const trap = `printf '#!/bin/sh\\necho "$0 $*" >> ran\\n' > trap && chmod +x trap && git init -q . && git config user.email a@example.invalid && git config user.name n
for key in core.fsmonitor core.pager pager.diff pager.log gpg.program credential.helper; do git config $key "$PWD/trap"; done
git config log.showSignature true
for hook in pre-commit post-commit post-index-change post-checkout reference-transaction; do cp trap .git/hooks/$hook; done
echo a > file && git add file && git commit -qm first && echo b > file`;

test("the read-only git commands run nothing that a repository names, and do their work", async () => {
  const { stdout, stderr } = await run(
    sandbox,
    `${trap}\ngit status --short file; git diff -- file | tail -n 2; git log --format=%s; ls ran 2>/dev/null`,
  );
  expect({ stdout, stderr }).toEqual({ stdout: " M file\n-a\n+b\nfirst\n", stderr: "" });
});

test("without the switches the same repository would", async () => {
  const { stdout } = await run(sandbox, {
    text: "git status --short file; test -s ran && echo trapped",
    env: { GIT_CONFIG_COUNT: "0" },
  });
  expect(stdout).toContain("trapped");
});
