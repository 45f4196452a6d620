import { describe, expect, test } from "vitest";
import { noEngine, resolveEngine } from "../../src/sandbox/engine-endpoint.ts";
import { commandEnv } from "../../src/sandbox/command-env.ts";
import { path } from "./harness.ts";

const home = path("/home/agent");

function ssh(target: object): object {
  return { kind: "ssh", target: { user: undefined, port: undefined, program: "ssh", ...target } };
}

describe("an engine's address", () => {
  test.each([
    ["unix:///run/x.sock", { kind: "unix", path: "/run/x.sock" }],
    ["tcp://127.0.0.1:2375", { kind: "tcp", host: "127.0.0.1", port: 2375, tls: undefined }],
    ["tcp://localhost", { kind: "tcp", host: "localhost", port: 2376, tls: undefined }],
    ["ssh://me@build-1.example:2222", ssh({ user: "me", host: "build-1.example", port: 2222 })],
    ["ssh://alias", ssh({ host: "alias" })],
    ["ssh://alias/", ssh({ host: "alias" })],
    ["ssh://me@[2001:db8::1]", ssh({ user: "me", host: "2001:db8::1" })],
    ["tcp://[::1]:1", { kind: "tcp", host: "::1", port: 1, tls: undefined }],
  ])("%s", (host, endpoint) => {
    expect(resolveEngine(host, undefined, undefined)).toEqual(endpoint);
  });

  test.each([
    "tcp://192.0.2.1:2375",
    "tcp://engine.example:2375",
    "npipe:////./pipe/x",
    "ssh://",
    "ssh://-oProxyCommand=x",
    "ssh://-oProxyCommand=x@h",
    "ssh://u@-v",
    "ssh://u:secret@h",
    "ssh://u@h;reboot",
    "ssh://u@h:70000",
    "ssh://u@h/run/docker.sock",
    "ssh://[::g]",
    "ssh://$(id)@h",
    "/run/docker.sock",
  ])("%s is refused", (host) => {
    expect(() => resolveEngine(host, undefined, undefined)).toThrow(
      expect.objectContaining({ code: "invalid_argument" }) as Error,
    );
  });

  test("is refused without telling the password in it, and by ssh for Podman", () => {
    expect(() => resolveEngine("ssh://u:secret@h", undefined, undefined)).toThrow(/^(?!.*secret)/);
    expect(() => resolveEngine("ssh://u@h", undefined, undefined, "podman")).toThrow(/Podman/);
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
