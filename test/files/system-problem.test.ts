import { lstatSync, readlinkSync } from "node:fs";
import { constants } from "node:os";
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

/** As Node gives a failure that libuv has no name for. */
const unnamed = (errno: number): Error =>
  Object.assign(new Error("write"), { errno, code: `Unknown system error ${errno}`, syscall: "write" });

describe("the errno of a failure", () => {
  it.each<[string, unknown, string]>([
    ["a system call", gone, "ENOENT"],
    ["another one", noLink, "EINVAL"],
    ["a Problem about it", systemProblem(gone, "/a"), "ENOENT"],
    ["a Problem about one of no meaning", systemProblem(noLink, "/a"), "EINVAL"],
    ["a Problem about that Problem", new Problem("aborted", "b", { cause: systemProblem(noLink, "/a") }), "EINVAL"],
    ["a Problem without a cause, whose own code is none", new Problem("not_found", "a"), ""],
    ["a Problem that another one causes", new Problem("aborted", "a", { cause: new Problem("not_found", "b") }), ""],
    ["one that libuv has no name for", unnamed(-constants.errno.EDQUOT), "EDQUOT"],
    ["one that nobody has a name for", unnamed(-4000), "Unknown system error -4000"],
    ["another error", new Error("a"), ""],
    ["an error whose code is a number", new DOMException("a", "AbortError"), ""],
    ["no error", "ENOENT", ""],
    ["nothing", undefined, ""],
  ])("of %s", (_what, error, code) => {
    expect(errorCode(error)).toBe(code);
  });

  it.each([
    [constants.errno.EDQUOT, "resource_exhausted", "/a: the disk quota is used up"],
    [constants.errno.ESTALE, "aborted", "/a: it changed since it was judged"],
    [4000, "internal", "/a: failed (Unknown system error -4000)"],
  ])("has a meaning also without a name of libuv: %s", (errno, code, message) => {
    expect(systemProblem(unnamed(-errno), "/a")).toMatchObject({ code, message });
  });

  it("stays known when a Problem is told on", () => {
    const first = systemProblem(gone, "/a");
    expect(systemProblem(first, "/b")).toBe(first);
    expect(first).toMatchObject({ code: "not_found", message: "/a: no such file or folder", field: "path" });
  });
});
