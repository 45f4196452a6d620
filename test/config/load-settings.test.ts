import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ConfigProblem } from "../../src/config/config-fault.ts";
import { configPaths, workspaceKey } from "../../src/config/config-paths.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { path, scratch } from "./files.ts";

function load(text: string, mode?: number) {
  const { home, paths, put } = scratch();
  put(paths.settings, text, mode);
  return loadSettings(paths, home);
}

function fault(text: string, mode?: number): string {
  try {
    load(text, mode);
  } catch (error) {
    if (error instanceof ConfigProblem) return error.message.replace(/^.*sallyport\.yaml/, "sallyport.yaml");
    throw error;
  }
  return "";
}

describe("settings", () => {
  it("are safe where nothing is said", () => {
    const { home, paths } = scratch();
    const settings = loadSettings(paths, home);
    expect(settings).toEqual({
      socket: undefined,
      tcp: undefined,
      image: undefined,
      images: [],
      agentImages: new Map(),
      sandboxes: { most: 64, idleMs: 900_000, spare: true },
      runtime: "auto",
      limits: {
        memoryBytes: 2 * 1024 ** 3,
        cpus: 2,
        pids: 512,
        tmpBytes: 512 * 1024 ** 2,
        openFiles: 65_536,
        fileBytes: 16 * 1024 ** 3,
      },
      timeoutMs: 600_000,
      outputBytes: 16 * 1024 ** 2,
      egressAllow: [],
      resolver: undefined,
      egressInspect: [],
      egressCredentials: [],
      egressCa: [],
      egressProxy: undefined,
      egressProxyLogin: undefined,
      egressEch: "refuse",
      egressLimits: { requestsPerMinute: 1200, bytesPerDay: 256 * 1024 ** 3 },
      agentEgress: new Map(),
      files: { maxFileBytes: 16 * 1024 ** 3, maxDayBytes: 256 * 1024 ** 3, maxEntries: 250_000 },
      trash: { retentionMs: 7 * 24 * 3_600_000, maxBytes: 10 * 1024 ** 3 },
      approvalDeadlineMs: 300_000,
      web: {
        host: "127.0.0.1",
        port: 7444,
        tls: undefined,
        exposed: false,
        names: [],
        idleMs: 12 * 3_600_000,
        longestMs: 7 * 24 * 3_600_000,
      },
      telegram: undefined,
      webhook: undefined,
      state: `${home}/.local/state/sallyport`,
      logLevel: "info",
      auditSynchronous: "normal",
    });
    expect(load("")).toMatchObject({ tcp: undefined, egressAllow: [] });
    expect(load("limits:\n  pids: 64\n")).toMatchObject({ limits: { pids: 64, cpus: 2 } });
    expect(load("files: { size: 1MiB, entries: 5 }\ntrash: { retention: 2d }\n")).toMatchObject({
      files: { maxFileBytes: 1024 ** 2, maxEntries: 5 },
      trash: { retentionMs: 2 * 24 * 3_600_000 },
    });
  });

  it("reads everything", () => {
    const settings = load(`
listen:
  socket: ~/run/s.sock
  tcp:
    address: "[::]:7443"
    tls: { cert: /c.pem, key: ~/k.pem }
image: debian:stable
images: [node:24, /srv/root]
agents: { coder: { image: node:24 }, writer: {} }
runtime: podman
sandboxes: { most: 8, idle: 2m, spare: false }
limits: { memory: 512MiB, cpus: 1.5, pids: 100, tmp: 64MiB, open_files: 64, file_size: 1GiB, timeout: 90s, output: 1MB }
egress: { allow: ["10.1.0.0/16:8443", "[fd00::/8]:443", "fd00::/8"], resolver: "9.9.9.9:53", inspect: [api.test, "[fd00::1]:8443"], ca: [~/ca.pem], credentials: [
  { host: "git.test:8443", secret: TOKEN, header: Authorization, template: "Bearer {secret}", methods: [GET], paths: [/a/*] },
  { host: api.test, secret: KEY, query: key, env: API_KEY } ] }
approvals: { deadline: 2m }
state: /var/lib/s
log: { level: debug }
audit: { synchronous: full }
`);
    expect(settings).toMatchObject({
      images: ["node:24", "/srv/root"],
      agentImages: new Map([["coder", "node:24"]]),
      runtime: "podman",
      sandboxes: { most: 8, idleMs: 120_000, spare: false },
      tcp: { host: "::", port: 7443, tls: { certFile: "/c.pem" } },
      limits: {
        memoryBytes: 512 * 1024 ** 2,
        cpus: 1.5,
        pids: 100,
        tmpBytes: 64 * 1024 ** 2,
        openFiles: 64,
        fileBytes: 1024 ** 3,
      },
      timeoutMs: 90_000,
      outputBytes: 1_000_000,
      egressAllow: ["10.1.0.0/16:8443", "[fd00::/8]:443", "fd00::/8"],
      resolver: "9.9.9.9:53",
      egressInspect: ["api.test", "[fd00::1]:8443"],
      egressCredentials: [
        {
          host: "git.test:8443",
          secret: "TOKEN",
          place: { kind: "header", name: "Authorization" },
          template: "Bearer {secret}",
          methods: ["GET"],
          paths: ["/a/*"],
          env: "TOKEN",
        },
        { host: "api.test", place: { kind: "query", name: "key" }, template: "{secret}", methods: [], env: "API_KEY" },
      ],
      approvalDeadlineMs: 120_000,
      state: "/var/lib/s",
      logLevel: "debug",
      auditSynchronous: "full",
    });
    expect(settings.socket).toMatch(/\/run\/s\.sock$/);
  });

  it.each([
    [
      "listen: { tcp: { address: '0.0.0.0:7443' } }",
      "sallyport.yaml:1:27: 0.0.0.0:7443 can be reached from elsewhere: set listen.tcp.tls, or listen on 127.0.0.1",
    ],
    [
      "listen: { tcp: { address: 'example.test:1' } }",
      "sallyport.yaml:1:27: example.test:1 can be reached from elsewhere: set listen.tcp.tls, or listen on 127.0.0.1",
    ],
    [
      "listen: { tcp: { address: '7443' } }",
      "sallyport.yaml:1:27: listen.tcp.address: must be HOST:PORT, such as 127.0.0.1:7443",
    ],
    ["limts: {}", `sallyport.yaml:1:1: "limts" is not a key here; did you mean "limits"?`],
    ["limits: { memroy: 1GiB }", `sallyport.yaml:1:11: "memroy" is not a key here; did you mean "memory"?`],
    ["limits: { memory: 1GiBB }", "sallyport.yaml:1:19: limits.memory: must be a size such as 512MiB"],
    [
      "limits: { memory: 1B }",
      "sallyport.yaml:1:19: limits.memory: must be between 16777216 and 1099511627776 (bytes or milliseconds)",
    ],
    ["limits: { cpus: -1 }", "sallyport.yaml:1:17: limits.cpus: must be at least 0.1"],
    ["limits: { pids: 1.5 }", "sallyport.yaml:1:17: limits.pids: must be a whole number from 16 to 100000"],
    ["limits: { open_files: 8 }", "sallyport.yaml:1:23: limits.open_files: must be a whole number from 64 to 1048576"],
    ["limits: { timeout: 90 }", "sallyport.yaml:1:20: limits.timeout: must be a text"],
    [
      "runtime: none",
      `sallyport.yaml:1:10: runtime must be auto, docker, podman, runsc or bubblewrap, not "none"; it may be auto, docker, podman, runsc or bubblewrap`,
    ],
    ["agents: { coder: { imgae: x } }", `sallyport.yaml:1:20: "imgae" is not a key here`],
    ["images: node", "sallyport.yaml:1:9: images: must be a list"],
    [
      "egress: { allow: [10.0.0.0] }",
      "sallyport.yaml:1:19: egress.allow[0]: must be CIDR or CIDR:PORT, such as 10.1.0.0/16:8443",
    ],
    [
      "egress: { allow: [10.0.0.300/8] }",
      "sallyport.yaml:1:19: egress.allow[0]: must be CIDR or CIDR:PORT, such as 10.1.0.0/16:8443",
    ],
    ["egress: { resolver: dns.test }", "sallyport.yaml:1:21: egress.resolver: must be ADDRESS or ADDRESS:PORT"],
    ["state: relative/x", "sallyport.yaml:1:8: state: must be an absolute path, or start with ~/"],
    ["listen: x", "sallyport.yaml:1:9: listen: must be a section with keys"],
    ["[]", "sallyport.yaml:1:1: the file: must be a section with keys"],
  ])("refuse %s", (text, expected) => {
    expect(fault(text)).toBe(expected);
  });

  it.each([
    "10.0.0.1/8",
    "0.0.0.0/0",
    "10.0.0.0/4",
    "::/0",
    "fd00::1/8",
    "fd00::/200",
    "10.0.0.0/08",
    "[10.0.0.0/8]:1",
    "10.0.0.0/8:0",
    "10.0.0.0/8:65536",
  ])("refuse to open %s", (range) => {
    expect(fault(`egress: { allow: ["${range}"] }`)).toContain("egress.allow[0]: must be CIDR");
  });

  it.each(["10.0.0.0/8", "192.168.1.7/32", "fd00::/8", "[fd12:3456::/32]:8443", "::1/128", "2001:db8:0:1::/64:80"])(
    "open %s",
    (range) => {
      expect(load(`egress: { allow: ["${range}"] }`).egressAllow).toEqual([range]);
    },
  );

  it("refuse a file that others may write to, that is no file, or is no UTF-8", () => {
    expect(fault("runtime: auto", 0o666)).toContain("others may write to it");
    const { home, paths } = scratch();
    mkdirSync(paths.settings, { recursive: true });
    expect(() => loadSettings(paths, home)).toThrow("is not a regular file");
    const other = scratch();
    mkdirSync(other.paths.folder, { recursive: true });
    symlinkSync("/dev/null", other.paths.settings);
    expect(() => loadSettings(other.paths, other.home)).toThrow("leads out of");
    const open = scratch();
    open.put(open.paths.settings, "");
    chmodSync(open.paths.folder, 0o777);
    expect(() => loadSettings(open.paths, open.home)).toThrow("others may write to its folder");
  });
});

describe("places", () => {
  it("follow XDG and ignore relative values", () => {
    const home = path("/home/u");
    expect(configPaths({ home, env: {} }).settings).toBe("/home/u/.config/sallyport/sallyport.yaml");
    expect(configPaths({ home, env: { XDG_CONFIG_HOME: "/x", XDG_STATE_HOME: "/y" } })).toMatchObject({
      user: "/x/sallyport/permissions.yaml",
      state: "/y/sallyport",
    });
    expect(configPaths({ home, env: { XDG_CONFIG_HOME: "x" } }).folder).toBe("/home/u/.config/sallyport");
    expect(() => configPaths({ home, env: { SALLYPORT_CONFIG_DIR: "x" } })).toThrow("absolute");
  });

  it("keep a workspace's rules outside it, under a hash of its root", () => {
    const { workspace } = configPaths({ home: path("/home/u"), env: {} });
    expect(workspace(path("/w"))).toBe(
      `/home/u/.config/sallyport/workspaces/${workspaceKey(path("/w"))}/permissions.yaml`,
    );
    expect(workspaceKey(path("/w"))).not.toBe(workspaceKey(path("/w2")));
  });
});

describe("surfaces in the settings", () => {
  it("are read with what is left out", () => {
    const { telegram, webhook } = load(
      "telegram: { chats: [-1001, 7], admins: [7], api_root: 'http://127.0.0.1:8081/' }\nwebhook: { url: 'https://hooks.example.com/x', listen: { address: '127.0.0.1:0' }, admins: [ann] }\n",
    );
    expect(telegram).toEqual({ chats: [-1001, 7], admins: [7], apiRoot: "http://127.0.0.1:8081" });
    expect(webhook).toEqual({
      url: "https://hooks.example.com/x",
      listen: { host: "127.0.0.1", port: 0, tls: undefined },
      admins: ["ann"],
    });
    expect(load("telegram: { chats: [1], admins: [] }\n").telegram?.apiRoot).toBe("https://api.telegram.org");
  });

  it.each([
    ["telegram: { admins: [7] }", "telegram"],
    ["telegram: { chats: [], admins: [7] }", "must name a chat"],
    ["telegram: { chats: [0], admins: [7] }", "number of a chat"],
    ["telegram: { chats: ['@name'], admins: [7] }", "number of a chat"],
    ["telegram: { chats: [1], admins: [-7] }", "number of a user"],
    ["telegram: { chats: [1], admins: [7.5] }", "number of a user"],
    ["telegram: { chats: [1], admins: [7], token: x }", "token"],
    ["telegram: { chats: [1], admins: [7], api_root: 'http://api.telegram.org' }", "must be https"],
    ["webhook: { admins: [ann] }", "webhook"],
    ["webhook: { url: 'http://hooks.example.com/' }", "must be https"],
    ["webhook: { url: 'http://localhost/' }", "must be https"],
    ["webhook: { url: 'http://127.0.0.1.example.com/' }", "must be https"],
    ["webhook: { url: 'https://u:p@hooks.example.com/' }", "must be https"],
    ["webhook: { url: 'https://hooks.example.com/#x' }", "must be https"],
    ["webhook: { url: 'file:///etc/passwd' }", "must be https"],
    ["webhook: { url: 'https://a.example', admins: [Ann] }", "lower-case"],
    ["webhook: { url: 'https://a.example', admins: ['ann\\n'] }", "lower-case"],
    ["webhook: { url: 'https://a.example', listen: { address: '0.0.0.0:1' } }", "set webhook.listen.tls"],
  ])("refuse %s", (text, words) => {
    expect(fault(`${text}\n`)).toContain(words);
  });
});
