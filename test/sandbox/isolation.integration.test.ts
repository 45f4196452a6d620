import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WarmSandbox } from "../../src/sandbox/warm-sandbox.ts";
import { docker, ensureEngine, makeFolder, owner } from "./engine.ts";
import { Bench, finish, path, run, spawn, waitFor } from "./harness.ts";

let bench: Bench;
let sandbox: WarmSandbox;
beforeAll(async () => {
  await ensureEngine();
  bench = new Bench();
  sandbox = await bench.open();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** What a Python program in the sandbox prints. */
async function python(code: string, target = sandbox): Promise<string> {
  const { stdout, stderr } = await run(target, { argv: ["python3", "-c", code] });
  return stdout + stderr;
}

describe("docker inspect shows", () => {
  test("the hardening and the limits", async () => {
    const { HostConfig, Config } = await docker.getContainer(sandbox.id).inspect();
    expect(Config).toMatchObject({
      NetworkDisabled: true,
      User: `${owner.uid}:${owner.gid}`,
      Tty: false,
    });
    expect(HostConfig.Devices ?? []).toEqual([]);
    expect(Config.Healthcheck).toEqual({ Test: ["NONE"] });
    expect(HostConfig).toMatchObject({
      AutoRemove: true,
      Privileged: false,
      CapDrop: ["ALL"],
      CapAdd: null,
      SecurityOpt: ["no-new-privileges:true"],
      ReadonlyRootfs: true,
      NetworkMode: "none",
      IpcMode: "private",
      PidMode: "",
      LogConfig: { Type: "none", Config: {} },
      Memory: 512 * 1024 * 1024,
      MemorySwap: 512 * 1024 * 1024,
      CpuPeriod: 100_000,
      CpuQuota: 150_000,
      PidsLimit: 200,
      Binds: null,
      VolumesFrom: null,
    });
  });

  test("only the granted mounts, init and its spent socket", async () => {
    const { Mounts } = await docker.getContainer(sandbox.id).inspect();
    const shown = Mounts.map(({ Destination, RW }) => `${Destination} ${RW}`).sort();
    expect(shown).toEqual([
      "/.sallyport/init false",
      "/.sallyport/stream false",
      "/etc/group false",
      "/etc/passwd false",
      `${bench.workspace} true`,
    ]);
  });

  test("only the volume of init over attach, read-only", async () => {
    await using attached = new Bench({ carrier: "attach" });
    const { Mounts } = await docker.getContainer((await attached.open()).id).inspect();
    expect(Mounts.map(({ Destination, RW }) => `${Destination} ${RW}`).sort()).toEqual([
      "/.sallyport/bin false",
      `${attached.workspace} true`,
    ]);
  });
});

describe("a command", () => {
  test("has no capabilities, cannot gain any and is filtered", async () => {
    const { stdout } = await run(sandbox, "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status");
    expect(stdout.match(/^Cap\w+:\t(\w+)$/gm)?.every((line) => /0{16}$/.test(line))).toBe(true);
    expect(stdout).toContain("NoNewPrivs:\t1");
    expect(stdout).toContain("Seccomp:\t2");
  });

  test("writes nowhere but in its folders, /tmp, its home and shared memory", async () => {
    const { stdout } = await run(
      sandbox,
      `for f in / /etc /usr /usr/local/bin /var /var/tmp /home /root /opt /.sallyport /sys /proc /sys/fs/cgroup; do touch $f/x 2>/dev/null && echo $f; done; touch x /tmp/x ~/x && echo own`,
    );
    expect(stdout).toBe("own\n");
  });

  test("may run programs from /tmp, whose set-user-ID bits count for nothing", async () => {
    const { stdout } = await run(
      sandbox,
      "cp /bin/echo /tmp/e && /tmp/e ran; grep -E ' (/tmp|/home/agent) ' /proc/mounts",
    );
    const [ran, ...mounts] = stdout.trim().split("\n");
    expect(ran).toBe("ran");
    expect(mounts).toHaveLength(2);
    for (const mount of mounts) expect(mount).toMatch(/tmpfs rw,nosuid,nodev,relatime,size=65536k/);
  });

  test("makes no program that lends its owner's rights to others, by any call; a team's folder keeps its group", async () => {
    const code = `import ctypes, errno, os, struct
libc = ctypes.CDLL(None, use_errno=True)
def tried(call):
  try: call(); return "made"
  except OSError as e: return errno.errorcode[e.errno]
def sys(*args):
  if libc.syscall(*args) < 0: raise OSError(ctypes.get_errno(), "")
open("f", "w"); os.mkdir("team"); fd = os.open("f", os.O_RDWR)
AT, at, how = ctypes.c_int(-100), ctypes.c_uint, ctypes.create_string_buffer(struct.pack("QQQ", os.O_CREAT | os.O_WRONLY, 0o4755, 0))
calls = [lambda: sys(90, b"f", 0o4755), lambda: sys(91, fd, 0o4755), lambda: sys(268, AT, b"f", 0o4755), lambda: sys(452, AT, b"f", 0o4755, 0), lambda: sys(85, b"g1", 0o4755),
  lambda: sys(2, b"g2", os.O_CREAT | os.O_WRONLY, 0o4755), lambda: sys(257, AT, b"g3", os.O_CREAT | os.O_WRONLY, 0o6755), lambda: sys(133, b"g4", 0o104755, 0), lambda: sys(259, AT, b"g5", 0o104755, 0),
  lambda: sys(257, AT, b".", os.O_TMPFILE | os.O_WRONLY, 0o4755), lambda: sys(437, AT, b"g6", how, 24)]
print(*[tried(call) for call in calls])
print(tried(lambda: sys(257, AT, b"f", 0, 0o4755)), tried(lambda: os.chmod("team", 0o2775)), tried(lambda: os.chmod("f", 0o1755)), tried(lambda: os.open("f", os.O_CREAT | os.O_RDWR, 0o755)))
import shutil; shutil.rmtree("team")
print([name for name in os.listdir(".") if os.stat(name).st_mode & 0o4000])`;
    const refused = [...Array(10).fill("EPERM"), "ENOSYS"].join(" ");
    expect(await python(code)).toBe(`${refused}\nmade made made made\n[]\n`);
  });

  test("takes no lease of a file, for which whoever opens it outside would wait", async () => {
    const code = `import fcntl, os
for name in ("leased", "/tmp/leased"):
  open(name, "w").close()
  for kind, flags in ((fcntl.F_WRLCK, os.O_RDONLY), (fcntl.F_RDLCK, os.O_RDONLY)):
    try: fcntl.fcntl(os.open(name, flags), fcntl.F_SETLEASE, kind); print("taken")
    except PermissionError: print("refused")
  fcntl.lockf(os.open(name, os.O_RDWR), fcntl.LOCK_EX); print(fcntl.fcntl(os.open(name, os.O_RDONLY), fcntl.F_GETLEASE) == fcntl.F_UNLCK)`;
    expect(await python(code)).toBe("refused\nrefused\nTrue\n".repeat(2));
  });

  test("has an environment that is a list of ours, and nothing of the sidecar's", async () => {
    process.env["SIDECAR_SECRET"] = "do-not-leak";
    const { stdout } = await run(sandbox, { argv: ["env"] });
    const names = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0] ?? "");
    expect(stdout).not.toContain("do-not-leak");
    expect(names.filter((name) => !/^GIT_CONFIG_(KEY|VALUE)_\d$/.test(name)).sort()).toEqual(
      [
        "ALL_PROXY",
        "DO_NOT_TRACK",
        "GIT_CONFIG_COUNT",
        "GIT_OPTIONAL_LOCKS",
        "GIT_PAGER",
        "GIT_TERMINAL_PROMPT",
        "HOME",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "HUSKY",
        "LANG",
        "LOGNAME",
        "NODE_USE_ENV_PROXY",
        "NO_PROXY",
        "NO_UPDATE_NOTIFIER",
        "PAGER",
        "PATH",
        "PIP_DISABLE_PIP_VERSION_CHECK",
        "TERM",
        "TMPDIR",
        "USER",
        "all_proxy",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "npm_config_update_notifier",
      ].sort(),
    );
    expect(stdout).toContain("https_proxy=http://127.0.0.1:3128\n");
  });

  test("sees only its own container's processes, and no descriptor but its three", async () => {
    const { stdout } = await run(sandbox, {
      argv: [
        "python3",
        "-c",
        "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))), len([p for p in os.listdir('/proc') if p.isdigit()]) < 20)",
      ],
    });
    expect(stdout).toBe("[0, 1, 2, 3] True\n");
  });

  test("sees neither the sidecar's state nor the engine's socket", async () => {
    const { stdout } = await run(
      sandbox,
      `ls -d ${bench.runtimeFolder} /run/docker.sock /var/run/docker.sock /run/containerd 2>/dev/null; find / -xdev -name '*docker.sock*' 2>/dev/null`,
    );
    expect(stdout).toBe("");
  });
});

describe("the network", () => {
  test("is a loopback interface and nothing else", async () => {
    const { stdout } = await run(
      sandbox,
      "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; tail -n +2 /proc/net/route",
    );
    expect(stdout).toBe("lo\n");
  });

  test("leads to nothing: not to the host's loopback, not by address, not by name", async () => {
    const server = createServer((socket) => socket.end("host"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const out = await python(`
import socket
for host, port in [("127.0.0.1", ${port}), ("172.17.0.1", 80), ("169.254.169.254", 80), ("192.0.2.1", 443)]:
  try:
    socket.create_connection((host, port), timeout=5); print("reached", host)
  except OSError as error: print(host, error.errno)
try:
  print(socket.getaddrinfo("localhost.example", 80))
except OSError: print("no name")
`);
    server.close();
    expect(out).toBe("127.0.0.1 111\n172.17.0.1 101\n169.254.169.254 101\n192.0.2.1 101\nno name\n");
  });

  test("knows no families of sockets but those that programs need, and no line disciplines", async () => {
    const code = `import errno, fcntl, os, socket
def tried(call):
  try: call(); return "made"
  except OSError as e: return errno.errorcode[e.errno]
AF_ALG, AF_VSOCK, TIOCSETD = 38, 40, 0x5423
print([tried(lambda: socket.socket(family, kind)) for family, kind in ((1, 1), (1, 5), (2, 1), (2, 2), (10, 1), (16, 3))])
print([tried(lambda: socket.socket(family, 3)) for family in (socket.AF_PACKET, AF_ALG, AF_VSOCK, 30, 33)], tried(lambda: socket.socketpair(30)), tried(socket.socketpair))
master, terminal = os.openpty()
print(tried(lambda: fcntl.ioctl(terminal, TIOCSETD, bytes(4))))`;
    const none = (count: number): string => Array(count).fill("'EAFNOSUPPORT'").join(", ");
    const made = Array(6).fill("'made'").join(", ");
    expect(await python(code)).toBe(`[${made}]\n[${none(5)}] EAFNOSUPPORT made\nEPERM\n`);
  });

  test("does not reach the abstract sockets of the host", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen("\0sallyport-abstract-test", resolve));
    const out = await python(`import socket
try: socket.socket(socket.AF_UNIX).connect("\\0sallyport-abstract-test"); print("reached")
except OSError as e: print(e.errno)`);
    server.close();
    expect(out).toBe("111\n");
  });
});

describe("init and its guards withstand a hostile command", () => {
  const attack = `
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def tried(name, call):
  try: result = call()
  except OSError as e: result = -e.errno
  print(name, "FAILED" if isinstance(result, int) and result < 0 else f"SUCCEEDED {result!r}")
def sys(*args):
  r = libc.syscall(*args)
  return -ctypes.get_errno() if r == -1 else r
targets = [1] + [int(p) for p in os.listdir("/proc") if p.isdigit() and p != "1" and open(f"/proc/{p}/stat").read().split()[3] == "1"]
print("guards", len(targets) > 1)
buffer = ctypes.create_string_buffer(64)
class iovec(ctypes.Structure): _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]
for pid in targets:
  for name in ["mem", "environ", "maps", "fd/0", "fd/3", "fd/4", "fd/5", "fd/6", "fd/7", "exe", "root", "cwd", "auxv"]:
    at = f"/proc/{pid}/{name}"
    tried(name, lambda: os.readlink(at))
    tried(name, lambda: open(at, "rb").read(1))
  tried("attach", lambda: sys(101, 16, pid, 0, 0))
  tried("seize", lambda: sys(101, 0x4206, pid, 0, 0))
  local = iovec(ctypes.addressof(buffer), 8); remote = iovec(0x400000, 8)
  tried("vm_readv", lambda: sys(310, pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0))
  pidfd = sys(434, pid, 0)
  for fd in range(0, 8): tried("getfd", lambda: sys(438, pidfd, fd, 0))
  # Root may raise it even so; where init then dies of memory, the container is gone with it.
  if os.getuid() != 0: tried("oom", lambda: open(f"/proc/{pid}/oom_score_adj", "w").write("1000"))
import resource
for what in (resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_DATA):
  tried("prlimit", lambda: resource.prlimit(1, what, (1, 1)))
  tried("prlimit by the whole register", lambda: sys(302, 0x7fffffff00000001, what, ctypes.byref(buffer), 0))
for which, who in ((0, 1), (1, 1), (2, 0), (2, os.getuid())): tried("setpriority", lambda: sys(141, which, who, 19))
for which, who in ((1, 1), (2, 1), (3, 0)): tried("ioprio_set", lambda: sys(251, which, who, 3 << 13))
tried("sched_setscheduler", lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)))
tried("sched_setparam", lambda: os.sched_setparam(1, os.sched_param(0)))
tried("sched_setaffinity", lambda: os.sched_setaffinity(1, {0}))
attributes = (ctypes.c_uint32 * 12)(48, 5)
tried("sched_setattr", lambda: sys(314, 1, ctypes.byref(attributes), 0))
tried("write to the stream", lambda: os.write(os.open("/.sallyport/stream", os.O_WRONLY), b"x"))
tried("bind", lambda: socket.socket().bind(("127.0.0.1", 3128)))
def reuse():
  s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("127.0.0.1", 3128)); s.listen()
tried("reuse", reuse)
tried("stream", lambda: socket.socket(socket.AF_UNIX).connect("/.sallyport/stream"))
`;

  test("of the workspace's owner", async () => {
    const out = await python(attack);
    expect(out).toContain("guards True");
    expect(out).not.toContain("SUCCEEDED");
    expect(out).toContain("stream FAILED");
  });

  test("of root, in a workspace of root's", async () => {
    const workspace = path("/usr/share");
    const out = await python(
      attack,
      await bench.open({
        workspace,
        scopes: [{ root: workspace, access: "ro", lasts: "session" }],
      }),
    );
    expect(out).toContain("guards True");
    expect(out).not.toContain("SUCCEEDED");
  });

  test("that limits and slows itself as it may", async () => {
    const code = `import os, resource
resource.prlimit(0, resource.RLIMIT_NOFILE, (100, 100)); resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE, (90, 90))
os.setpriority(os.PRIO_PROCESS, 0, 5); os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)); os.sched_setaffinity(os.getpid(), {0})
print(resource.getrlimit(resource.RLIMIT_NOFILE), os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0))`;
    expect(await python(code)).toBe("(90, 90) 5 3\n");
  });

  test.each(["the workspace's owner", "root"])("of %s, that sends every signal to init", async (user) => {
    const workspace = path("/usr/share");
    const ofRoot = { workspace, scopes: [{ root: workspace, access: "ro", lasts: "session" }] } as const;
    await using other = new Bench();
    const target = await other.open(user === "root" ? ofRoot : {});
    const { stdout } = await run(target, "for n in $(seq 1 64); do kill -$n 1 2>/dev/null; done; id -u; echo alive");
    expect(stdout).toBe(`${user === "root" ? 0 : owner.uid}\nalive\n`);
    expect((await run(target, "echo still")).stdout).toBe("still\n");
  });

  test.each([
    "resource.prlimit(guard, resource.RLIMIT_FSIZE, (0, 0))",
    "resource.prlimit(guard, resource.RLIMIT_NOFILE, (0, 0))",
    "os.setpriority(os.PRIO_PROCESS, guard, 19)",
    "os.sched_setscheduler(guard, os.SCHED_IDLE, os.sched_param(0))",
    "os.sched_setaffinity(guard, {min(os.sched_getaffinity(0))})",
    "ctypes.CDLL(None).syscall(251, 1, guard, 3 << 13)",
  ])("that leaves a guard limited or slowed for the next command: %s", async (act) => {
    await using other = new Bench();
    const target = await other.open();
    const state =
      "[resource.getrlimit(n) for n in range(16)], os.getpriority(0, 0), os.sched_getscheduler(0), os.sched_getaffinity(0), ctypes.CDLL(None).syscall(252, 1, 0)";
    const look = `import ctypes, os, resource; print(${state})`;
    const before = await python(look, target);
    const code = `import ctypes, os, resource
guard = os.getppid()
${act}
print("acted")`;
    expect(await python(code, target)).toBe("acted\n");
    expect(await python(look, target)).toBe(before);
  });

  test("that kills or stops every guard", async () => {
    await using other = new Bench();
    const target = await other.open();
    const victim = await spawn(target, { argv: ["sleep", "1000"] });
    const kill = await spawn(target, {
      argv: [
        "python3",
        "-c",
        `import os, signal
own = os.getppid()
others = [int(p) for p in os.listdir("/proc") if p.isdigit() and int(p) not in (1, own, os.getpid())]
# The own guard last: with it this program goes too.
for p in others + [own]:
  try: os.kill(p, signal.SIGSTOP); os.kill(p, signal.SIGKILL)
  except OSError: pass
print("done", flush=True)
import time; time.sleep(1000)`,
      ],
    });
    await Promise.all([finish(victim), finish(kill)]);
    const { stdout } = await run(target, {
      argv: [
        "python3",
        "-c",
        "import os; print(sum('sleep' in open(f'/proc/{p}/cmdline').read() for p in os.listdir('/proc') if p.isdigit() and p != str(os.getpid())))",
      ],
    });
    expect(stdout).toBe("0\n");
  });

  test("that stops every guard: what they guard still ends, and is told", async () => {
    const victim = await spawn(sandbox, { text: "echo ready; read -r line; exit 6", stdin: true });
    await waitFor(victim, "ready");
    const { exit } = await run(sandbox, {
      argv: [
        "python3",
        "-c",
        `import os, signal
for p in os.listdir("/proc"):
  if p.isdigit() and p != "1" and open(f"/proc/{p}/stat").read().split()[3] == "1": os.kill(int(p), signal.SIGSTOP)`,
      ],
    });
    expect(exit.code).toBe(0);
    await victim.writeStdin(Buffer.from("go\n"));
    expect((await finish(victim)).exit.code).toBe(6);
  });
});

describe("mounts", () => {
  test("of a read-only scope cannot be written, and are at the same path", async () => {
    const folder = makeFolder("sp-ro-");
    writeFileSync(join(folder, "file"), "content");
    const both = await bench.open({
      scopes: [
        { root: path(bench.workspace), access: "rw", lasts: "session" },
        { root: path(folder), access: "ro", lasts: "session" },
      ],
    });
    const { stdout } = await run(
      both,
      `cat ${folder}/file; echo x > ${folder}/file || echo refused; rm ${folder}/file || echo refused`,
    );
    expect(stdout).toBe("contentrefused\nrefused\n");
  });

  test("of a read-only scope inside a writable one stay read-only", async () => {
    mkdirSync(join(bench.workspace, "vendor"), { mode: 0o777 });
    const nested = await bench.open({
      scopes: [
        { root: path(join(bench.workspace, "vendor")), access: "ro", lasts: "session" },
        { root: path(bench.workspace), access: "rw", lasts: "session" },
      ],
    });
    const { stdout } = await run(nested, "touch vendor/x || echo refused; touch y && echo written");
    expect(stdout).toBe("refused\nwritten\n");
  });

  test("show hidden folders and files empty and unwritable", async () => {
    const state = join(bench.workspace, "state");
    mkdirSync(state, { mode: 0o777 });
    writeFileSync(join(state, "secret"), "hidden");
    writeFileSync(join(bench.workspace, "settings.env"), "KEY=hidden", { mode: 0o666 });
    const missing = join(bench.workspace, "later");
    const hidden = [state, join(bench.workspace, "settings.env"), missing].map(path);
    const masked = await bench.open({ hidden });
    const { stdout } = await run(
      masked,
      "ls -A state later 2>/dev/null; cat settings.env; touch state/x || echo refused; touch later/x || echo refused; rmdir state || echo refused; mv settings.env s2 || echo refused",
    );
    expect(stdout).toBe("state:\nrefused\nrefused\nrefused\nrefused\n");
    expect(existsSync(missing)).toBe(true);
    writeFileSync(join(missing, "secret"), "x");
    expect((await run(masked, "ls -A later; cat later/secret")).stdout).toBe("");
  });

  test("keep hidden folders and nested grants where they are: what holds them cannot be renamed", async () => {
    await using home = new Bench();
    const at = (name: string): string => join(home.workspace, name);
    for (const folder of ["a", "a/b", "a/b/state", "c", "c/d", "c/d/vendor", "free"]) {
      mkdirSync(at(folder));
      chmodSync(at(folder), 0o777);
    }
    writeFileSync(at("a/b/state/secret"), "hidden");
    const scopes = [
      ...home.spec().scopes,
      { root: path(at("c/d/vendor")), access: "ro" as const, lasts: "session" as const },
    ];
    const wish = { hidden: [path(at("a/b/state"))], scopes };
    const moves =
      "for f in a a/b a/b/state c c/d c/d/vendor; do mv $f moved && echo moved $f; done; mv free f2 && echo fine";
    expect((await run(await home.open(wish), moves)).stdout).toBe("fine\n");
    expect((await run(await home.open(wish), "ls -A a/b/state; touch a/y c/d/z && ls c/d")).stdout).toBe("vendor\nz\n");
  });

  test("hide the runtime folder where a scope covers it", async () => {
    await using inside = new Bench();
    const folder = join(inside.workspace, "run");
    await using covered = new Bench({ runtimeFolder: folder });
    const target = await covered.runtime.create(inside.spec(), new AbortController().signal);
    const { stdout } = await run(target, "ls -A run; touch run/x || echo refused");
    await target.close();
    expect(stdout).toBe("refused\n");
  });
});
