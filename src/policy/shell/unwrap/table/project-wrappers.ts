import { wrapper, type WrapperRow } from "../wrapper.ts";

const project = "it runs the command in an environment that files of the project define";

/** Programs that start the command in the environment of a project, again and again, or in a session of its own. */
export const projectWrappers: readonly WrapperRow[] = [
  [
    "hyperfine",
    wrapper(
      "i N w: r: m: M: p: s: c: P: D: L: S: n: u: warmup: runs: min-runs: max-runs: prepare: setup: cleanup: shell: export-json: export-csv: export-markdown: ignore-failure show-output",
      { inner: "shell", script: ["p", "prepare", "s", "setup", "c", "cleanup"] },
    ),
  ],
  ["entr", wrapper("a c d n p r s x z", { joined: ["s"], always: "it runs the command for changes that come later" })],
  [
    "watchexec",
    wrapper(
      `1 c? n p r N E: e: w: W: f: i: d: s: o: j: F: k p v q exts: watch: watch-non-recursive: watch-file: filter: ignore: filter-file: ignore-file: delay-run:
        stop-signal: stop-timeout: signal: map-signal: debounce: on-busy-update: poll? shell: env: emit-events-to: wrap-process? workdir: project-origin:
        restart clear? notify postpone no-vcs-ignore no-project-ignore no-global-ignore no-default-ignore no-discover-ignore ignore-nothing only-emit-events
        print-events quiet verbose color: timings no-meta fs-events: stdin-quit bell`,
      { inner: "shell", always: "it runs the command for changes that come later", opaqueInside: true },
    ),
  ],
  [
    "sops exec-env,sops exec-file",
    wrapper("user: same-process background no-fifo", {
      operands: 1,
      inner: "shell",
      always: project,
      opaqueInside: true,
    }),
  ],
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
    "poetry run,pipenv run,bundle exec,mise exec,asdf exec,rtx exec,hatch run,pdm run,rye run,devbox run,dotenv,yarn exec,pnpm exec,npm exec,npm x,bunx,rbenv exec,pyenv exec,nodenv exec,opam exec,pixi run,lerna exec,nx exec,turbo exec",
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
      inner: "shell",
      always: "it goes on in a session of its own",
      opaqueInside: true,
    }),
  ],
  ["abduco", wrapper("n c A a l f r q e: p", { operands: 1, always: "it goes on in a session of its own" })],
  ["dtach", wrapper("a A c n N E z e: r:", { operands: 1, again: true, always: "it goes on in a session of its own" })],
  [
    "tmux new-session,tmux new,tmux new-window,tmux neww,tmux split-window,tmux splitw,tmux run-shell,tmux run,tmux respawn-pane,tmux respawnp,tmux respawn-window,tmux respawnw,tmux if-shell,tmux if,tmux pipe-pane,tmux pipep,tmux display-popup,tmux popup,tmux send-keys,tmux send",
    wrapper("A d D E P X a b k S h v f B C I O R N: H M o Z c: F: n: s: t: x: y: w: h e: l p: K", {
      inner: "shell",
      always: "it goes on in a session of its own",
      opaqueInside: true,
    }),
  ],
  ["cmake -E env", wrapper("unset: modify:", { assignments: true })],
  ["cmake -E time", wrapper("")],
  ["cmake -E chdir", wrapper("", { operands: 1 })],
  ["busybox toybox", wrapper("")],
];
