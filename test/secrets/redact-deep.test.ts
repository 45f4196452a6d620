import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/secrets/redactor.ts";

const redactor = createRedactor();

describe("redactDeep", () => {
  it("strikes by shape, at any depth and in names", () => {
    const token = `ghp_${"a1B2c3".repeat(6)}`;
    expect(redactor.redactDeep({ a: [{ b: `x ${token}` }], [token]: 1 })).toEqual({
      a: [{ b: "x [redacted:github]" }],
      "[redacted:github]": 1,
    });
  });

  it("strikes whole what a name says is a secret, blanks and all", () => {
    expect(redactor.redactDeep({ env: { DB_PASSWORD: "correct horse", HOME: "/home/u", EMPTY_TOKEN: "" } })).toEqual({
      env: { DB_PASSWORD: "[redacted:named]", HOME: "/home/u", EMPTY_TOKEN: "" },
    });
  });

  it("strikes the second of a pair and the word after an option", () => {
    expect(
      redactor.redactDeep({
        headers: [
          ["Authorization", "x y"],
          ["accept", "*/*"],
        ],
        argv: ["tool", "--api-key", "a b", "--verbose", "on"],
      }),
    ).toEqual({
      headers: [
        ["Authorization", "[redacted:named]"],
        ["accept", "*/*"],
      ],
      argv: ["tool", "--api-key", "[redacted:named]", "--verbose", "on"],
    });
  });

  it("makes JSON of what is none", () => {
    const value = {
      date: new Date(0),
      never: new Date(Number.NaN),
      bytes: new Uint8Array(3),
      big: 10n,
      nan: Number.NaN,
      gone: undefined,
      list: [undefined],
      call: () => 1,
    };
    expect(redactor.redactDeep(value)).toEqual({
      date: "1970-01-01T00:00:00.000Z",
      never: "[no date]",
      bytes: "[3 bytes]",
      big: "10",
      nan: "NaN",
      list: [null],
    });
  });

  it("ends on a circle and keeps a field named __proto__", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(JSON.stringify(redactor.redactDeep(circle))).toContain("[too deep]");
    expect(JSON.stringify(redactor.redactDeep(JSON.parse('{"__proto__":"x"}')))).toBe('{"__proto__":"x"}');
  });
});
