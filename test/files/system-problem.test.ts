import { lstatSync, readlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorCode, systemProblem } from "../../src/files/system-problem.ts";
import { Problem } from "../../src/model/problem.ts";

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}

const gone = failureOf(() => lstatSync("/no/such/place"));
const noLink = failureOf(() => readlinkSync("/"));

describe("the errno of a failure", () => {
  it.each<[string, unknown, string]>([
    ["a system call", gone, "ENOENT"],
    ["another one", noLink, "EINVAL"],
    ["a Problem about it", systemProblem(gone, "/a"), "ENOENT"],
    ["a Problem about one of no meaning", systemProblem(noLink, "/a"), "EINVAL"],
    ["a Problem about that Problem", new Problem("aborted", "b", { cause: systemProblem(noLink, "/a") }), "EINVAL"],
    ["a Problem without a cause, whose own code is none", new Problem("not_found", "a"), ""],
    ["a Problem that another one causes", new Problem("aborted", "a", { cause: new Problem("not_found", "b") }), ""],
    ["another error", new Error("a"), ""],
    ["an error whose code is a number", new DOMException("a", "AbortError"), ""],
    ["no error", "ENOENT", ""],
    ["nothing", undefined, ""],
  ])("of %s", (_what, error, code) => {
    expect(errorCode(error)).toBe(code);
  });

  it("stays known when a Problem is told on", () => {
    const first = systemProblem(gone, "/a");
    expect(systemProblem(first, "/b")).toBe(first);
    expect(first).toMatchObject({ code: "not_found", message: "/a: no such file or folder", field: "path" });
  });
});
