import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgedUrl } from "../../src/egress/judged-url.ts";
import { parseTargetUrl } from "../../src/egress/target-url.ts";

const judged = (path: string): string => {
  try {
    return judgedUrl(parseTargetUrl(`https://a.test:8443${path}`)).slice("https://a.test:8443".length);
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
};

describe("the path that rules see", () => {
  it.each([
    ["/%70ublic", "/public"],
    ["//a///b", "/a/b"],
    ["/a/./b/../c", "/a/c"],
    ["/a/%2e%2E/c", "/c"],
    ["/@scope%2fname", "/@scope%2Fname"],
    ["/a?x=%70//../", "/a?x=%70//../"],
    ["/a\\b", "/a/b"],
    ["", "/"],
    ["/%25%37%30", "/%2570"],
  ])("of %s is %s", (path, seen) => {
    expect(judged(path)).toBe(seen);
  });

  it.each([
    "/a/..%2fb",
    "/a%2f..%2fb",
    "/a/%252e%252e/b",
    "/a/..%5cb",
    "/a/..;/b",
    "/a/%25252e%25252e%2fb",
    "/a/..%3bx/b",
    "/a/..%00/b",
    "/a/..%00.html",
    "/a/..%20/b",
    "/a/..%09/b",
    "/a/..%23/b",
    "/a/..%3fx",
    "/a/%u002e%u002e/b",
    "/a/%u002E./b",
    "/a/%ef%bc%8e%ef%bc%8e/b",
    "/a/%uff0e%uFF0E/b",
    "/a/..%ef%bc%8fb",
    "/a/..%ef%bc%bcb",
  ])("is refused where %s would lead upwards", (path) => {
    expect(judged(path)).toContain("lead upwards");
  });

  it.each(["/a/%c0%ae%c0%ae/b", "/a%c0%afb", "/%c1%a1dmin", "/%e0%80%ae./b", "/%f0%80%80%ae", "/%25c0%25ae"])(
    "is refused where %s holds an overlong escape",
    (path) => {
      expect(judged(path)).toContain("overlong");
    },
  );

  it.each([
    "/%C0%20propos",
    "/%E9t%E9",
    "/%C3%80",
    "/...",
    "/.well-known/x",
    "/a..b/..c",
    "/%E3%82%A2",
    "/%F0%9F%98%80",
  ])("may be %s", (path) => {
    expect(judged(path)).toBe(path);
  });

  it("is the same for a path without an escape as with one that means nothing", () => {
    const pieces = fc.constantFrom("/", "a", "..", ".", "~", "-", "b1", "_", "@", ";", "//", "%2f", "%2e", "c");
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 10 }).map((parts) => `/${parts.join("")}`),
        (path) => {
          expect(judged(`${path}/x`)).toBe(judged(`${path}/%78`));
        },
      ),
      { numRuns: 3000 },
    );
  });
});
