import { describe, expect, test } from "vitest";
import { noEngine, resolveEngine } from "../../src/sandbox/engine-endpoint.ts";
import { commandEnv } from "../../src/sandbox/command-env.ts";
import { path } from "./harness.ts";

const home = path("/home/agent");

describe("an engine's address", () => {
  test.each([
    ["unix:///run/x.sock", { kind: "unix", path: "/run/x.sock" }],
    ["tcp://127.0.0.1:2375", { kind: "tcp", host: "127.0.0.1", port: 2375, tls: undefined }],
    ["tcp://localhost", { kind: "tcp", host: "localhost", port: 2376, tls: undefined }],
    ["tcp://[::1]:1", { kind: "tcp", host: "::1", port: 1, tls: undefined }],
  ])("%s", (host, endpoint) => {
    expect(resolveEngine(host, undefined, undefined)).toEqual(endpoint);
  });

  test.each([
    "tcp://192.0.2.1:2375",
    "tcp://engine.example:2375",
    "npipe:////./pipe/x",
    "ssh://u@h",
    "/run/docker.sock",
  ])("%s is refused", (host) => {
    expect(() => resolveEngine(host, undefined, undefined)).toThrow(
      expect.objectContaining({ code: "invalid_argument" }) as Error,
    );
  });

  test("a socket without permission: the message names the group", () => {
    expect(noEngine({ kind: "unix", path: "/run/docker.sock" }, "EACCES")).toMatchObject({
      code: "failed_precondition",
      message: expect.stringContaining("group") as string,
    });
  });
});

describe("a command's environment", () => {
  test("takes the image's PATH, and what the action sets on top", () => {
    const env = commandEnv({ env: { PATH: "/own", X: "a=b" } }, home, "/image");
    expect(env).toContain("PATH=/own");
    expect(env).toContain("X=a=b");
    expect(env.filter((variable) => variable.startsWith("PATH="))).toHaveLength(1);
    expect(commandEnv({ env: {} }, home, "/image")).toContain("PATH=/image");
    expect(commandEnv({ env: {} }, home, "/image")).toContain("HOME=/home/agent");
  });

  test("knows whether there is a terminal", () => {
    expect(commandEnv({ env: {} }, home, undefined)).toContain("TERM=dumb");
    expect(commandEnv({ env: {}, pty: { columns: 1, rows: 1 } }, home, undefined)).toContain("TERM=xterm-256color");
  });

  test.each(["", "1A", "A B", "A=B", "é", "BASH_FUNC_x%%"])("refuses the name %j", (name) => {
    expect(() => commandEnv({ env: { [name]: "1" } }, home, undefined)).toThrow(
      expect.objectContaining({ code: "invalid_argument", field: "env" }) as Error,
    );
  });
});
