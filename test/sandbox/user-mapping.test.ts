import { describe, expect, test } from "vitest";
import { containerOptions } from "../../src/sandbox/container-options.ts";
import { type EngineTraits, mapUser } from "../../src/sandbox/engine-traits.ts";
import { debianImage } from "./engine.ts";
import { path } from "./harness.ts";

const docker: EngineTraits = { kind: "docker", rootless: false, remapped: false, ociRuntime: undefined };
const podman: EngineTraits = { ...docker, kind: "podman" };
const self = { uid: 1000, gid: 1000 };
const other = { uid: 2000, gid: 100 };
const root = { uid: 0, gid: 0 };

/** What is said to the engine about users, for a workspace of `owner`'s and a sidecar of user 1000. */
function said(traits: EngineTraits, owner: { uid: number; gid: number }) {
  const user = mapUser(traits, owner, self.uid);
  const workspace = path("/work");
  const plan = { mounts: [], user: owner };
  const { User, HostConfig, Cmd } = containerOptions(
    {
      session: "session" as never,
      image: debianImage,
      workspace,
      scopes: [],
      hidden: [],
      home: path("/home/agent"),
      limits: { memoryBytes: 1, cpus: 1, pids: 1, tmpBytes: 1 },
    },
    { plan, traits, user, imageVolumes: [], owner: "o", instance: "i", init: { kind: "volume", name: "v" } },
  );
  return { User, UsernsMode: HostConfig?.UsernsMode, CapDrop: HostConfig?.CapDrop, CapAdd: HostConfig?.CapAdd, Cmd };
}

const plain = { UsernsMode: undefined, CapDrop: ["ALL"], CapAdd: undefined, Cmd: [] };

describe("the container's user is the workspace's owner outside", () => {
  test.each([
    ["an engine of root's", docker, self, { ...plain, User: "1000:1000" }],
    ["another user's workspace", docker, other, { ...plain, User: "2000:100" }],
    ["root's workspace", docker, root, { ...plain, User: "0:0" }],
    [
      "an engine that maps users: this container is not mapped",
      { ...docker, remapped: true },
      other,
      { ...plain, User: "2000:100", UsernsMode: "host" },
    ],
    ["Podman of root's", podman, other, { ...plain, User: "2000:100" }],
    [
      "a rootless Docker Engine, where he is root inside",
      { ...docker, rootless: true },
      self,
      { ...plain, User: "0:0" },
    ],
    [
      "a rootless Podman, which keeps his number",
      { ...podman, rootless: true },
      self,
      { ...plain, User: "1000:1000", UsernsMode: "keep-id" },
    ],
  ])("%s", (_, traits, owner, options) => {
    expect(said(traits, owner)).toEqual(options);
  });

  test("under gVisor init is root with what it takes to become him", () => {
    expect(said({ ...docker, ociRuntime: "runsc" }, other)).toMatchObject({
      User: "0:0",
      Cmd: ["--commands", "2000:100"],
      CapAdd: ["CHOWN", "KILL", "SETGID", "SETPCAP", "SETUID"],
    });
  });
});

describe("nobody inside could be him", () => {
  test.each([
    ["another's workspace on a rootless engine", { ...docker, rootless: true }, other],
    ["root's workspace on a rootless engine", { ...podman, rootless: true }, root],
    ["root's workspace under gVisor", { ...docker, ociRuntime: "runsc" }, root],
    ["a rootless engine's gVisor", { ...docker, rootless: true, ociRuntime: "runsc" }, self],
  ])("%s is refused", (_, traits, owner) => {
    expect(() => said(traits, owner)).toThrow(
      expect.objectContaining({ code: "failed_precondition", field: "workspace" }) as Error,
    );
  });
});
