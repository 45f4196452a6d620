import { beforeAll, describe, expect, it } from "vitest";
import { play, type Play } from "./play.ts";

describe("the demo", () => {
  let played: Play;

  beforeAll(async () => {
    played = await play(() => undefined);
  });

  it.each([
    ["exec   ls -a", "allowed", /package\.json/],
    ["read   package.json", "allowed", /parcel-weights/],
    ["exec   cat src/total.js", "allowed", /export function total/],
    ["list   src", "allowed", /^total\.js$/],
    ["exec   git status", "allowed", /working tree clean/],
    ["exec   npm test", "allowed", /^exit 0[^]*pass 2/],
    ["exec   pwd && git log", "allowed", /demo@example\.test/],
    ["exec   rm -rf ~", "refused", /blocklist/],
    ["exec   sudo id", "refused", /blocklist\.sudo/],
    [`exec   sh -c 'cd / && rm -r "$HOME"'`, "refused", /blocklist/],
    ["read   /etc/shadow", "asked, denied", /none of your business/],
    ["write  src/mean.js", "asked, allowed", /^\d+ bytes/],
    ["write  test/mean.test.js", "asked, allowed", /^\d+ bytes/],
    ["exec   npm test", "allowed", /^exit 0[^]*pass 3/],
    ["exec   git diff --output=/tmp/leak", "asked, denied", /said no/],
    ["fetch  http://127.0.0.1:PORT/", "refused", /127\.0\.0\.1|loopback|private/],
    ["fetch  http://[::ffff:169.254.169.254]/latest/meta-data/", "refused", /./],
    ["exec   node -e 'console.log(6 * 7)'", "asked, allowed", /42/],
    ["exec   node --version", "asked, allowed", /v\d+/],
    ["exec   node --version", "allowed", /v\d+/],
  ] as const)("request %$: %s", (request, result, shown) => {
    const index = Number(/request (\d+)/.exec(expect.getState().currentTestName ?? "")?.[1]) - 1;
    const step = played.steps[index];
    expect(step).toMatchObject({ request, result });
    expect(step?.shown).toMatch(shown);
  });

  it("plays twenty requests, reaches nothing private and leaves a record that verifies", () => {
    expect(played.steps).toHaveLength(20);
    expect(played.canaryHits).toBe(0);
    expect(played.auditOk).toBe(true);
    expect(played.auditRecords).toBeGreaterThanOrEqual(34);
  });
});
