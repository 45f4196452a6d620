import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { enclosing, latent, type Piece, type Place, places, spellings, wrappers } from "./nests.ts";
import { judge, rule, shell } from "./world.ts";

const around = [...wrappers, ...enclosing];

function nest(
  piece: Piece,
  steps: readonly { readonly simple: number; readonly place: number; readonly wrap: boolean }[],
  all: readonly Place[],
): string {
  let { text, simple } = piece;
  for (const [id, step] of steps.entries()) {
    if (simple && step.wrap) text = (around[step.simple % around.length] ?? String)(text);
    else {
      text = all[step.place % all.length]?.(text, id) ?? text;
      simple = false;
    }
  }
  return text;
}

const steps = fc.array(fc.record({ simple: fc.nat(1000), place: fc.nat(1000), wrap: fc.boolean() }), { maxLength: 4 });
const allowEverything = [rule({ capability: "all", effect: "allow", match: ["*", "/**"] })];

describe("nesting", () => {
  it("finds a blocked command in each place by itself", () => {
    const rows = [...around, ...places, ...latent].map((place) => place("sudo id", 0));
    const missed = rows.filter((text) => {
      const { decision } = judge(shell(text), { rules: allowEverything, subject: { mode: "allow-all" } });
      return !decision.findings.some(({ rules }) => rules.some(({ id }) => id === "blocklist.sudo"));
    });
    expect(missed).toEqual([]);
  });

  it("never lets a blocked command be less than denied", () => {
    const blocked = fc
      .tuple(
        fc.constantFrom(
          "sudo id",
          "sudo -n true",
          "rm -rf /",
          "rm -r -f ~",
          "doas sh",
          "rm --recursive /home/u/",
          "su -c id",
        ),
        fc.constantFrom(...spellings),
      )
      .map(([text, spell]): Piece => {
        const [word = "", ...rest] = text.split(" ");
        return { text: [spell(word), ...rest].join(" "), simple: true };
      });
    fc.assert(
      fc.property(blocked, steps, (piece, nesting) => {
        const text = nest(piece, nesting, [...places, ...latent]);
        const { decision, settlement } = judge(shell(text), { rules: allowEverything, subject: { mode: "allow-all" } });
        expect(
          [
            settlement.kind,
            decision.findings.some((finding) => finding.rules.some((each) => each.id.startsWith("blocklist."))),
          ],
          text,
        ).toEqual(["deny", true]);
      }),
      { numRuns: 600 },
    );
  });

  it("never lets an unknown part be less than asked", () => {
    const unknown = fc
      .constantFrom('eval "$X"', "$X y", "rm $X", 'bash "$X"', "rm $(cat list)", ". ./env.sh", "rm {a,$X}")
      .map((text): Piece => ({ text, simple: !text.startsWith("eval") && !text.startsWith(".") }));
    fc.assert(
      fc.property(unknown, steps, (piece, nesting) => {
        const text = nest(piece, nesting, places);
        expect(
          judge(shell(text), { rules: allowEverything, subject: { mode: "autopilot" } }).settlement.kind,
          text,
        ).not.toBe("allow");
      }),
      { numRuns: 600 },
    );
  });

  it("never turns a denial into less by text put before or after it", () => {
    const denied = rule({ capability: "shell", effect: "deny", match: ["git push*"] });
    const around = fc.string({
      unit: fc.constantFrom("a", " ", ";", "&", "|", "\n", "'", '"', "$", "(", ")", "`", "#", "\\", "<", ">", "{", "}"),
      maxLength: 12,
    });
    fc.assert(
      fc.property(around, (after) => {
        // What follows may end the command early, but bash has read the first line by then.
        const text = `git push\n${after}`;
        expect(
          judge(shell(text), { rules: [denied, ...allowEverything], subject: { mode: "allow-all" } }).settlement.kind,
          text,
        ).toBe("deny");
      }),
      { numRuns: 600 },
    );
  });

  it("never allows random bytes, and never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const { settlement } = judge(shell(text), { subject: { mode: "ask" } });
        // Plain words may be a read-only command by chance; nothing else passes.
        if (settlement.kind === "allow") expect(text).toMatch(/^[\w\s-]+$/);
      }),
      { numRuns: 3000 },
    );
  });
});
