import { wrapper, type Wrapper } from "./wrapper.ts";

const elsewhere = "it runs the command in another root, namespace or account";
const project = "it runs the command in an environment that files of the project define";

/** Every program that starts the command in its own words, with where that command begins. A name may have a subcommand behind a blank. */
const rows: readonly (readonly [names: string, wrapper: Wrapper])[] = [
  ["command", wrapper("p v V", { without: ["v", "V"], inShell: true })],
  ["builtin", wrapper("", { inShell: true })],
  ["exec", wrapper("c l a:", { inShell: true })],
  [
    "nohup setsid noglob nocorrect unbuffer chronic ifne setuidgid catchsegv dumb-init tini catatonit",
    wrapper("c f w p n q ctty fork wait"),
  ],
  ["time gtime", wrapper("a p q v l h f: o: append portability quiet verbose format: output:")],
  ["caffeinate", wrapper("d i m s u t: w:")],
  [
    "env genv",
    wrapper(
      "i 0 v u: C: a: ignore-environment null debug unset: chdir: argv0: ignore-signal? default-signal? block-signal? list-signal-handling",
      { assignments: true, chdir: ["C", "chdir"] },
    ),
  ],
  ["cross-env cross-env-shell", wrapper("", { assignments: true })],
  ["nice gnice", wrapper("n: adjustment: 0 1 2 3 4 5 6 7 8 9")],
  [
    "ionice",
    wrapper("c: n: t class: classdata: ignore p: P: u: pid: pgid: uid:", {
      without: ["p", "P", "u", "pid", "pgid", "uid"],
    }),
  ],
  [
    "chrt",
    wrapper(
      "a b f i m o r d R v T: P: D: all-tasks batch fifo idle max other rr deadline reset-on-fork verbose sched-runtime: sched-period: sched-deadline: p pid",
      { operands: 1, without: ["p", "pid", "m", "max"] },
    ),
  ],
  ["taskset", wrapper("a c p all-tasks cpu-list pid", { operands: 1, without: ["p", "pid"] })],
  ["stdbuf gstdbuf", wrapper("i: o: e: input: output: error:")],
  ["timeout gtimeout", wrapper("f p v k: s: foreground preserve-status verbose kill-after: signal:", { operands: 1 })],
  [
    "numactl",
    wrapper(
      "a l b H s i: m: N: C: c: p: P: all balancing localalloc interleave: weighted-interleave: membind: cpunodebind: physcpubind: preferred: preferred-many: hardware show",
    ),
  ],
  [
    "setarch",
    wrapper(
      "R B F I L S T X Z 3 v addr-no-randomize 3gb 4gb 32bit fdpic-funcptrs short-inode addr-compat-layout whole-seconds sticky-timeouts read-implies-exec mmap-page-zero uname-2.6 verbose show?",
      { operands: 1, again: true },
    ),
  ],
  [
    "linux32 linux64 i386 x86_64 uname26",
    wrapper("R B F I L S T X Z 3 v addr-no-randomize 3gb 4gb 32bit verbose uname-2.6"),
  ],
  [
    "prlimit",
    wrapper(
      "n? u? f? c? v? s? d? l? m? t? q? e? r? i? x? y? p: o: nofile? nproc? fsize? core? as? stack? data? memlock? cpu? pid:",
      { without: ["p", "pid"] },
    ),
  ],
  ["choom", wrapper("n: p: adjust: pid:", { without: ["p", "pid"] })],
  ["uclampset", wrapper("m: M: a p: s R", { without: ["p"] })],
  [
    "cpulimit",
    wrapper("l: c: z i b f q v m p: e: limit: cpu: include-children background foreground", { without: ["p", "e"] }),
  ],
  [
    "flock",
    wrapper(
      "s x e u n o F v w: E: shared exclusive unlock nonblock close no-fork verbose wait: timeout: conflict-exit-code: c: command:",
      { operands: 1, again: true, script: ["c", "command"] },
    ),
  ],
  [
    "strace",
    wrapper(
      "A c C d D f F h i k n N q r t T v V w x y Y z Z a: b: e: E: I: o: O: p: P: s: S: u: U: X: attach: output: trace: env: user: follow-forks output-separately summary-only",
    ),
  ],
  ["ltrace", wrapper("b c C f h i L r S t T V a: A: D: e: F: l: n: o: p: s: u: w: x: X: output: config:")],
  [
    "script",
    wrapper(
      "a e f q r c: E: I: O: B: T? o: t? m: append return flush quiet force command: echo: log-in: log-out: log-io: log-timing: output-limit: timing?",
      { operands: 1, script: ["c", "command"] },
    ),
  ],
  [
    "watch",
    wrapper(
      "b c C d? e g p r t w n: q: s: beep color differences? errexit chgexit precise no-title no-wrap interval: equexit: shotsdir:",
      { inner: "shell" },
    ),
  ],
  ["fakeroot", wrapper("u h v l: s: i: b: lib: faked: unknown-is-real")],
  ["fakechroot proot", wrapper("r: b: w: q: R: S: 0 k: v:", { always: elsewhere, chdir: ["w"] })],
  ["chroot", wrapper("userspec: groups: skip-chdir", { operands: 1, always: elsewhere })],
  [
    "unshare",
    wrapper(
      "m? u? i? n? p? U? C? T? f r c h V S: G: R: w: mount? uts? ipc? net? pid? user? cgroup? time? fork map-root-user map-current-user map-auto mount-proc? kill-child? keep-caps map-user: map-group: map-users: map-groups: setgroups: propagation: root: wd: setuid: setgid: monotonic: boottime:",
      { always: elsewhere, chdir: ["w", "wd"] },
    ),
  ],
  [
    "nsenter",
    wrapper(
      "a m? u? i? n? p? U? C? T? r? w? F Z e t: S: G: W: all mount? uts? ipc? net? pid? user? cgroup? time? root? wd? wdns: target: setuid: setgid: no-fork preserve-credentials follow-context env",
      { always: elsewhere, chdir: ["wd", "wdns", "W"] },
    ),
  ],
  [
    "bwrap",
    wrapper(
      "bind: ro-bind: dev-bind: proc: dev: tmpfs: chdir: unshare-all unshare-net unshare-pid share-net die-with-parent new-session setenv: unsetenv:",
      { always: elsewhere, chdir: ["chdir"] },
    ),
  ],
  ["firejail", wrapper("quiet noprofile net? private? profile? seccomp? whitelist? noroot", { always: elsewhere })],
  [
    "setpriv",
    wrapper(
      "d reuid: regid: groups: clear-groups keep-groups init-groups inh-caps: ambient-caps: bounding-set: securebits: no-new-privs reset-env pdeathsig: ptracer: selinux-label: apparmor-profile:",
      { always: elsewhere },
    ),
  ],
  [
    "runuser",
    wrapper(
      "l f m p P u: g: G: s: w: c: login fast preserve-environment pty user: group: supp-group: shell: whitelist-environment: command:",
      { always: elsewhere, script: ["c", "command"] },
    ),
  ],
  [
    "gosu su-exec chpst",
    wrapper("u: U: b: e: / : n: l: L: m: d: o: p: f: c: r: t: v P 0 1 2", { operands: 1, always: elsewhere }),
  ],
  ["sg", wrapper("c: l", { operands: 1, again: true, inner: "shell", always: elsewhere, script: ["c"] })],
  ["capsh", wrapper("c: print drop? caps? keep? user? uid? gid? chroot?", { always: elsewhere, script: ["c"] })],
  [
    "systemd-run",
    wrapper(
      "t P q G d S r h u: p: H: M: E: user system scope no-block no-ask-password pty pipe quiet collect same-dir shell wait remain-after-exit send-sighup unit: property: description: slice: slice-inherit uid: gid: nice: working-directory: setenv: on-active: on-boot: on-calendar: host: machine: service-type: background:",
      { always: "it runs the command outside this process tree", chdir: ["working-directory"] },
    ),
  ],
  ["systemd-inhibit", wrapper("what: who: why: mode: list", { always: "it talks to the service manager" })],
  [
    "dbus-run-session dbus-launch xvfb-run",
    wrapper(
      "a e: f: n: s: w: p: l auto-servernum server-args: error-file: config-file: dbus-daemon: exit-with-session sh-syntax",
    ),
  ],
  [
    "ld.so",
    wrapper(
      "list verify inhibit-cache library-path: inhibit-rpath: preload: audit: argv0: glibc-hwcaps-prepend: glibc-hwcaps-mask: list-tunables list-diagnostics",
      { always: "the loader starts the program with libraries of its choice" },
    ),
  ],
  [
    "valgrind",
    wrapper(
      "q v h tool? leak-check? log-file? quiet verbose trace-children? track-origins? error-exitcode? suppressions? xml? xml-file?",
    ),
  ],
  [
    "perf stat,perf record,perf trace",
    wrapper("a d g v q B S i n e: o: p: t: r: F: C: c: event: output: repeat: call-graph: freq:"),
  ],
  [
    "gdb lldb",
    wrapper("q n batch x: ex: p: c: s: e: d: args quiet nx command: eval-command: core: symbols: cd:", {
      always: "a debugger runs commands of its own",
    }),
  ],
  ["torsocks torify proxychains proxychains4 tsocks", wrapper("q f: i d u: p: a: quiet")],
  ["rlwrap", wrapper("a? A c C: D: e: f: g: H: i I l: m? n N o O: p? P: q: r R s: S: t: U v w: W? X z:")],
  [
    "hyperfine",
    wrapper(
      "i N w: r: m: M: p: s: c: P: D: L: S: n: u: warmup: runs: min-runs: max-runs: prepare: setup: cleanup: shell: export-json: export-csv: export-markdown: ignore-failure show-output",
      { inner: "shell", script: ["p", "prepare", "s", "setup", "c", "cleanup"] },
    ),
  ],
  ["entr", wrapper("a c d n p r s x z", { always: "it runs the command for changes that come later" })],
  [
    "nodemon",
    wrapper("w: e: i: x: d: watch: ext: ignore: exec: delay: quiet", {
      always: project,
      opaqueInside: true,
      script: ["x", "exec"],
    }),
  ],
  [
    "concurrently",
    wrapper("k n: c: p: r names: prefix: kill-others raw success: prefix-colors:", {
      inner: "shell",
      always: project,
      opaqueInside: true,
    }),
  ],
  ["direnv exec", wrapper("", { operands: 1, always: project, opaqueInside: true })],
  [
    "poetry run,pipenv run,bundle exec,mise exec,asdf exec,rtx exec,hatch run,pdm run,rye run,devbox run,dotenv,yarn exec,pnpm exec,npm exec,npm x,bunx,rbenv exec,pyenv exec,nodenv exec,opam exec",
    wrapper("c: e: C: p: f: y q yes package: call: filter: silent parallel recursive", {
      always: project,
      opaqueInside: true,
      script: ["c", "call"],
    }),
  ],
  [
    "npx pnpx",
    wrapper("y q p: c: yes quiet no no-install ignore-existing package: call:", {
      always: project,
      opaqueInside: true,
      script: ["c", "call"],
    }),
  ],
  [
    "uv run,uvx",
    wrapper(
      "q v n p: w: m with: python: project: directory: extra: group: isolated no-sync frozen locked offline module",
      { always: project, opaqueInside: true },
    ),
  ],
  [
    "conda run,mamba run,micromamba run",
    wrapper("n: p: v name: prefix: cwd: live-stream no-capture-output", {
      always: project,
      opaqueInside: true,
      chdir: ["cwd"],
    }),
  ],
  [
    "nix-shell,nix develop,nix shell",
    wrapper("p: A: I: E: run: command: c: pure packages: argstr: arg:", {
      always: project,
      opaqueInside: true,
      script: ["run", "command", "c"],
    }),
  ],
  [
    "screen",
    wrapper("d m D r R x U A a i L O q S: t: s: T: c: e: h: p: X:", {
      always: "it goes on in a session of its own",
      opaqueInside: true,
    }),
  ],
  [
    "tmux new-session,tmux new,tmux new-window,tmux neww,tmux split-window,tmux splitw,tmux run-shell,tmux run,tmux respawn-pane,tmux if-shell",
    wrapper("A d D E P X a b k S h v f c: F: n: s: t: x: y: e: l: p:", {
      inner: "shell",
      always: "it goes on in a session of its own",
      opaqueInside: true,
    }),
  ],
  ["busybox toybox", wrapper("")],
];

/** The table by name. */
export const wrappers: ReadonlyMap<string, Wrapper> = new Map(
  rows.flatMap(([names, row]) => splitNames(names).map((name) => [name, row] as const)),
);

/** Names with a subcommand are separated by commas, plain ones by blanks. */
function splitNames(names: string): string[] {
  return names.includes(",") ? names.split(",") : /^[\w.-]+ (run|exec)$/.test(names) ? [names] : names.split(" ");
}
