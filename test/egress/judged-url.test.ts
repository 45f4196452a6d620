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

  it.each(["/a/..%2fb", "/a%2f..%2fb", "/a/%252e%252e/b", "/a/..%5cb", "/a/..;/b", "/a/%25252e%25252e%2fb"])(
    "is refused where %s would lead upwards",
    (path) => {
      expect(judged(path)).toContain("lead upwards");
    },
  );
});
