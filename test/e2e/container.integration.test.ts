import { mkdirSync, statSync, writeFileSync, chownSync } from "node:fs";
import { join } from "node:path";
import Dockerode from "dockerode";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { runCommand } from "./support/run-command.ts";
import { allow, scriptedApprover, type ScriptedApprover } from "./support/scripted-approver.ts";
import { type RunningSallyport, startSallyport } from "./support/start-sallyport.ts";

const docker = new Dockerode();

describe("the session's container", () => {
  let sallyport: RunningSallyport;
  let admin: SallyportClient;
  let approver: ScriptedApprover;
  let inspected: Dockerode.ContainerInspectInfo;

  /** Runs shell text that the approver allows. */
  async function inside(text: string): Promise<string> {
    const { stdout, stderr } = await runCommand(admin, text);
    return `${stdout}${stderr}`;
  }

  beforeAll(async () => {
    sallyport = await startSallyport({
      env: { SALLYPORT_TEST_SECRET: "do-not-leak" },
      settings: "sandboxes: { spare: false }\n",
    });
    chownSync(sallyport.workspace, 4321, 4321);
    admin = sallyport.client();
    approver = scriptedApprover(admin, () => allow);
    await runCommand(admin, "pwd");
    const containers = await docker.listContainers({ all: true });
    const own = [];
    for (const { Id } of containers) {
      const info = await docker.getContainer(Id).inspect();
      if (
        info.HostConfig.Binds?.some((bind) => bind.startsWith(`${sallyport.workspace}:`)) ||
        info.Mounts.some((mount) => mount.Source === sallyport.workspace)
      )
        own.push(info);
    }
    expect(own).toHaveLength(1);
    const [only] = own;
    if (only === undefined) throw new Error("no container");
    inspected = only;
  });

  afterAll(async () => {
    await approver.stop();
    await sallyport.remove();
  });

  it("has no network", () => {
    expect(inspected.Config).toMatchObject({ NetworkDisabled: true });
  });

  it("has no capabilities and gains none", () => {
    expect(inspected.HostConfig.CapDrop).toEqual(["ALL"]);
    expect(inspected.HostConfig.CapAdd ?? []).toEqual([]);
    expect(inspected.HostConfig.Privileged).toBe(false);
    expect(inspected.HostConfig.SecurityOpt).toContain("no-new-privileges:true");
    expect(inspected.HostConfig.SecurityOpt?.some((option: string) => option.includes("unconfined")) ?? false).toBe(
      false,
    );
  });

  it("has a read-only root and limits", () => {
    const { ReadonlyRootfs, PidsLimit, Memory, CpuQuota, LogConfig } = inspected.HostConfig;
    expect(ReadonlyRootfs).toBe(true);
    expect(PidsLimit).toBeGreaterThan(0);
    expect(Memory).toBeGreaterThan(0);
    expect(CpuQuota).toBeGreaterThan(0);
    expect(LogConfig?.Type).toBe("none");
  });

  it("runs as the owner of the workspace", () => {
    expect(inspected.Config.User).toBe("4321:4321");
  });

  it("mounts the granted folder at its own path, and nothing of the host beside it but the init, its socket and the accounts", () => {
    const binds = inspected.Mounts.filter((mount) => mount.Type === "bind");
    const workspace = binds.find((mount) => mount.Destination === sallyport.workspace);
    expect(workspace).toMatchObject({ Source: sallyport.workspace, RW: true });
    // What programs outside obey lies in it and is read-only.
    const guards = binds.filter(({ Destination }) => Destination.startsWith(`${sallyport.workspace}/`));
    for (const mount of guards) expect(mount).toMatchObject({ Source: mount.Destination, RW: false });
    const others = binds.filter((mount) => mount !== workspace && !guards.includes(mount));
    for (const mount of others) expect(mount.Destination).toMatch(/^(\/(run\/|\.)?sallyport|\/etc\/(passwd|group)$)/);
    expect(others.length).toBeLessThanOrEqual(4);
  });

  it("keeps the owner of what a command makes", async () => {
    await inside("touch made-inside");
    expect(statSync(join(sallyport.workspace, "made-inside"))).toMatchObject({ uid: 4321, gid: 4321 });
  });

  it("shows no capability, no new privilege and a seccomp filter to a command", async () => {
    const status = await inside("cat /proc/self/status");
    expect(status).toMatch(/^CapEff:\t0000000000000000$/m);
    expect(status).toMatch(/^CapBnd:\t0000000000000000$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
  });

  it("has the loopback and nothing else, and only the proxy port answers on it", async () => {
    const interfaces = (await inside("ls /sys/class/net")).trim().split(/\s+/);
    expect(interfaces.filter((name) => !["lo", "tunl0", "sit0", "ip6tnl0"].includes(name))).toEqual([]);
    expect(await inside("cat /proc/net/route")).not.toMatch(/\n\S+\t/);
    const listening = (await inside("cat /proc/net/tcp /proc/net/tcp6"))
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === "0A")
      .map((fields) => fields[1]);
    expect(listening).toEqual(["0100007F:0C38"]);
    const probe = await inside(
      `python3 - <<'PY'
import socket
def attempt(host, port, kind=socket.SOCK_STREAM):
    s = socket.socket(socket.AF_INET, kind)
    s.settimeout(5)
    try:
        s.connect((host, port)); s.send(b"x"); return "reached"
    except OSError as error:
        return "refused"
    finally:
        s.close()
for target in [("127.0.0.1", 3128), ("127.0.0.1", 80), ("172.17.0.1", 22), ("169.254.169.254", 80), ("192.0.2.1", 443)]:
    print(*target, attempt(*target))
print("dns", attempt("192.0.2.53", 53, socket.SOCK_DGRAM))
try:
    print("name", socket.getaddrinfo("example.test", 80))
except OSError:
    print("name refused")
PY`,
    );
    expect(probe.trim().split("\n")).toEqual([
      "127.0.0.1 3128 reached",
      "127.0.0.1 80 refused",
      "172.17.0.1 22 refused",
      "169.254.169.254 80 refused",
      "192.0.2.1 443 refused",
      "dns refused",
      "name refused",
    ]);
  });

  it("hides the sidecar: its environment, its socket, its state and the engine's socket", async () => {
    const paths = [
      sallyport.socket,
      join(sallyport.home, "state"),
      join(sallyport.home, "config"),
      "/var/run/docker.sock",
      "/run/docker.sock",
    ];
    // The names are hidden from the analysis, so that only the container's walls answer.
    const hidden = Buffer.from(JSON.stringify(paths)).toString("base64");
    const code = `import base64, json, os
print([path for path in json.loads(base64.b64decode("${hidden}")) if os.path.exists(path)])
for name in ("/proc/1/environ", "/proc/self/environ"):
    try:
        print(open(name).read())
    except OSError as error:
        print(error.strerror)`;
    const shown = await inside(`python3 - <<'PY'\n${code}\nPY`);
    expect(shown.split("\n")[0]).toBe("[]");
    expect(shown).not.toContain("do-not-leak");
    expect(shown).toContain("HTTP_PROXY=http://127.0.0.1:3128");
    expect(shown).toContain("Permission denied");
  });

  it("refuses to show its own folders where the workspace holds them", async () => {
    const home = sallyport.home;
    const other = await startSallyport({ home: join(home, "second"), workspace: home });
    try {
      const client = other.client();
      const second = scriptedApprover(client, () => allow);
      mkdirSync(join(home, "plain"), { recursive: true });
      writeFileSync(join(home, "plain/file"), "visible");
      expect((await runCommand(client, `cat ${home}/plain/file`)).stdout).toBe("visible");
      const state = await runCommand(client, { command: { argv: ["find", join(home, "second"), "-type", "f"] } }).catch(
        (error: unknown) => error,
      );
      if (!(state instanceof Error)) expect(JSON.stringify(state)).not.toMatch(/audit\.db|sallyport\.sock/);
      await second.stop();
    } finally {
      await other.stop();
    }
  });
});
