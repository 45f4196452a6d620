import { wrapper, type WrapperRow } from "../wrapper.ts";

const elsewhere = "it runs the command in another root, namespace or account";
const project = "it runs the command in an environment that files of the project define";

/** Programs that start the command in another root, namespace or account, or hand it to the service manager. */
export const placeWrappers: readonly WrapperRow[] = [
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
      `bind:: bind-try:: ro-bind:: ro-bind-try:: dev-bind:: dev-bind-try:: bind-fd:: ro-bind-fd:: symlink:: setenv:: file:: bind-data:: ro-bind-data:: chmod::
        overlay:: tmp-overlay: ro-overlay: overlay-src: proc: dev: tmpfs: mqueue: dir: remount-ro: chdir: unsetenv: lock-file: sync-fd: info-fd:
        json-status-fd: block-fd: userns: userns2: pidns: userns-block-fd: uid: gid: hostname: exec-label: file-label: seccomp: add-seccomp-fd:
        cap-add: cap-drop: perms: size: args: argv0: unshare-all unshare-net unshare-pid unshare-user unshare-user-try unshare-ipc unshare-uts
        unshare-cgroup unshare-cgroup-try share-net die-with-parent new-session clearenv as-pid-1 disable-userns assert-userns-disabled level-prefix`,
      { always: elsewhere, chdir: ["chdir"] },
    ),
  ],
  [
    "flatpak-spawn",
    wrapper(
      "v host sandbox clear-env watch-bus no-network latest-version expose-pids share-pids env: unset-env: directory: forward-fd: verbose",
      { always: elsewhere },
    ),
  ],
  ["firejail", wrapper("quiet noprofile net? private? profile? seccomp? whitelist? noroot", { always: elsewhere })],
  [
    "mpirun mpiexec orterun",
    wrapper(
      "n: np: N: c: H: host: hostfile: machinefile: f: x: genv:: bind-to: map-by: rank-by: wdir: wd: mca:: oversubscribe allow-run-as-root q v quiet verbose",
      { always: "it may start the command on other machines", chdir: ["wdir", "wd"] },
    ),
  ],
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
      { always: elsewhere, script: ["c", "command"], operands: 1, operandsUnless: ["u", "user"], again: true },
    ),
  ],
  ["gosu su-exec setuidgid envuidgid s6-setuidgid", wrapper("", { operands: 1, always: elsewhere })],
  [
    "chpst runit-chpst",
    wrapper("u: U: b: e: /: n: l: L: m: d: o: p: f: c: r: t: C: v V P 0 1 2", { always: elsewhere, chdir: ["C"] }),
  ],
  ["s6-applyuidgid", wrapper("u: g: G: z U", { always: elsewhere })],
  ["envdir s6-envdir", wrapper("I i f F L c: n:", { operands: 1, always: project })],
  ["setlock s6-setlock", wrapper("n N x X r w t: d:", { operands: 1 })],
  ["softlimit s6-softlimit", wrapper("H h a: c: d: f: l: m: o: p: r: s: t:")],
  [
    "execlineb",
    wrapper("p P q e s: S: c:", { script: ["c"], always: "another language is not read", opaqueInside: true }),
  ],
  ["sg", wrapper("c: l", { operands: 1, again: true, inner: "shell", always: elsewhere, script: ["c"] })],
  [
    "systemd-run",
    wrapper(
      "t P q G d S r h u: p: H: M: E: user system scope no-block no-ask-password pty pipe quiet collect same-dir shell wait remain-after-exit send-sighup unit: property: description: slice: slice-inherit uid: gid: nice: working-directory: setenv: on-active: on-boot: on-calendar: host: machine: service-type: background:",
      { always: "it runs the command outside this process tree", chdir: ["working-directory"] },
    ),
  ],
  ["systemd-cat", wrapper("t: p: identifier: priority: stderr-priority: level-prefix: namespace:")],
  ["systemd-inhibit", wrapper("what: who: why: mode: list", { always: "it talks to the service manager" })],
  [
    "machinectl shell",
    wrapper("q uid: E: setenv: M: machine: H: host: no-ask-password quiet", { operands: 1, always: elsewhere }),
  ],
];
