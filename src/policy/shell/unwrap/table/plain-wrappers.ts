import { wrapper, type WrapperRow } from "../wrapper.ts";

/** Programs and builtins that start the command as it stands: with other limits, another input, under the eyes of a debugger. */
export const plainWrappers: readonly WrapperRow[] = [
  ["command", wrapper("p v V", { without: ["v", "V"], inShell: true })],
  ["builtin", wrapper("", { inShell: true })],
  ["exec", wrapper("c l a:", { inShell: true })],
  [
    "nohup setsid noglob nocorrect unbuffer chronic ifne catchsegv dumb-init tini catatonit pgrphack fghack",
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
    ),
  ],
  // Also the first operand of setarch, which may be left out.
  [
    "linux32 linux64 i386 i486 i586 i686 x86_64 uname26 arm armv6l armv7l armv8l aarch64 arm64 ppc ppc32 ppc64 ppc64le mips mips64 s390 s390x sparc sparc64 riscv32 riscv64 loongarch64 ia64 alpha parisc",
    wrapper("R B F I L S T X Z 3 v addr-no-randomize 3gb 4gb 32bit verbose uname-2.6"),
  ],
  ["cgexec", wrapper("g: sticky b")],
  ["aa-exec", wrapper("p: n: d i v debug immediate verbose profile: namespace:")],
  ["ssh-agent", wrapper("D d k s c a: E: O: P: t: T u U x", { without: ["k"] })],
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
      { operands: 1, again: true, script: ["c", "command"] },
    ),
  ],
  [
    "watch",
    wrapper(
      "b c C d? e g p r t w n: q: s: beep color differences? errexit chgexit precise no-title no-wrap interval: equexit: shotsdir:",
      { inner: "shell" },
    ),
  ],
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
  ["arch", wrapper("x86_64 arm64 arm64e i386 32 64 c e: d: h")],
  ["faketime", wrapper("m p f x: date-prog: exclude-monotonic", { operands: 1 })],
  ["eatmydata ccache distcc sccache", wrapper("")],
  ["retry", wrapper("t: d: m: n: s: q v until: times: delay: tries: max: min: backoff:")],
  ["bear", wrapper("o: c: a v output: config: append verbose force-preload force-wrapper")],
  ["scan-build", wrapper("o: v V k h enable-checker: disable-checker: use-analyzer: status-bugs")],
  ["heaptrack", wrapper("o: r d a p: output: record-only debug analyze")],
  ["rr record,rr replay", wrapper("n h o: v: w chaos no-syscall-buffer")],
  [
    "kcov",
    wrapper("include-path? exclude-path? include-pattern? exclude-pattern? verify skip-solibs", { operands: 1 }),
  ],
  ["tsp nq", wrapper("n f m d E g L: N: D: W: B q c w t")],
  ["daemonize", wrapper("a c: e: o: E: p: u: l: v")],
  ["sshpass", wrapper("p: f: d: e v h V P:")],
  ["kitty foot ghostty st", wrapper("1 o: c: d: T: e hold title: directory: config: override:")],
  ["rlwrap", wrapper("a? A c C: D: e: f: g: H: i I l: m? n N o O: p? P: q: r R s: S: t: U v w: W? X z:")],
];
