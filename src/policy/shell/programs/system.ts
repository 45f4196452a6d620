import { traceFile } from "./environment.ts";
import { has } from "./parse-options.ts";
import { program, quiet, unseen, type Call, type Family, type Program } from "./program.ts";
import { dropHead, headOf, literal, textOf } from "./words.ts";

/** `export`, `declare` and their like: a variable that names a file to write counts as that write. */
const assigning: Program = {
  textOnly: true,
  run({ args, out }) {
    for (const word of args) {
      const match = /^([A-Za-z_]\w*)\+?=/.exec(headOf(word));
      if (match?.[1] === undefined) continue;
      const file = traceFile(match[1], dropHead(word, match[0].length));
      if (file !== undefined) out.write(file);
    }
  },
};

/** nohup(1) writes nohup.out only where standard output is a terminal: a redirect or a pipe keeps it from that. */
function nohup({ command, out }: Call): void {
  const moved = command.redirects.some(
    ({ operator, fd }) => operator !== "read" && operator !== "close" && (fd === undefined || fd === 1),
  );
  if (!moved) out.write(literal("nohup.out"));
}

/** Wrappers: only their own files are told here, the command inside is a command of its own. */
const wrappers: Family = [
  ["nohup", { run: nohup, textOnly: true }],
  [
    "time gtime",
    {
      ...program("-p,--portability -v,--verbose -a,--append -q,--quiet -f,--format=. -o,--output=w", () => {}, "posix"),
    },
  ],
  [
    "strace ltrace",
    program(
      `-cCdfFhikqrtTvVwxyzZADYL -a,--columns=. -b,--detach-on=. -e,--trace=. -E,--env=. -I,--interruptible=. -l=. -n,--syscall-number
        -o,--output=w -O,--summary-syscall-overhead=. -p,--attach=. -P,--trace-path=. -s,--string-limit=. -S,--summary-sort-by=. -u,--user=.
        -U,--summary-columns=. -X,--const-print-style=. --follow-forks --output-separately --output-append-mode --seccomp-bpf --daemonize=?.
        --successful-only --failed-only --failing-only --instruction-pointer --stack-traces=?. --quiet=?. --silent=?.
        --relative-timestamps=?. --absolute-timestamps=?. --syscall-times=?. --no-abbrev --strings-in-hex=?. --decode-fds=?. --decode-pids=.
        --summary --summary-only --summary-wall-clock --inject=x --fault=x --debug --tips=?. --verbose=. --abbrev=. --raw=. --signal=.
        --status=. --read=. --write=. --kvm=.`,
      () => {},
      "posix",
    ),
  ],
  [
    "script",
    program(
      `-a,--append -c,--command=. -e,--return -f,--flush --force -q,--quiet -E,--echo=. -I,--log-in=w -O,--log-out=w -B,--log-io=w
        -T,--log-timing=w -t,--timing=?w -m,--logging-format=. -o,--output-limit=.`,
      (parsed, { out }) => {
        const file = parsed.operands[0];
        if (file !== undefined) out.write(file);
        else if (!has(parsed, "-O", "-B")) out.write(literal("typescript"));
      },
    ),
  ],
  [
    "flock",
    program(
      `-s,--shared -x,--exclusive -e -u,--unlock -n,--nb,--nonblock -w,--wait,--timeout=. -o,--close -E,--conflict-exit-code=.
        -c,--command=. -F,--no-fork --fcntl --verbose`,
      (parsed, { out }) => {
        const file = parsed.operands[0];
        if (file !== undefined && !/^\d+$/.test(textOf(file) ?? "")) out.write(file);
      },
      "posix",
    ),
  ],
  [
    "xargs",
    program(
      `-0,--null -a,--arg-file=r -d,--delimiter=. -E=. -e=?. --eof=?. -I=. -i=?. --replace=?. -L=. -l=?. --max-lines=?. -n,--max-args=.
        -o,--open-tty -P,--max-procs=. -p,--interactive --process-slot-var=. -r,--no-run-if-empty -s,--max-chars=. --show-limits
        -t,--verbose -x,--exit -J=. -R=. -S=.`,
      () => {},
      "posix",
    ),
  ],
  [
    `env command builtin exec nice ionice chrt taskset stdbuf timeout setsid setarch linux64 linux32 numactl busybox toybox noglob
      nocorrect caffeinate unbuffer fakeroot proxychains torsocks rlwrap cpulimit eatmydata choom prlimit eval watch chronic ifne pee`,
    quiet,
  ],
];

/** Programs that measure another one: only the files of their own. `perf record` has a name for its file where none is given. */
function measuring({ args, out, name }: Call): void {
  let named = false;
  args.forEach((word, at) => {
    const head = headOf(word);
    const [glued] =
      /^--(output|log-file|xml-file|export-(json|csv|markdown|asciidoc|orgmode))=/.exec(head) ??
      /^-o(?=.)/.exec(head) ??
      [];
    const file = /^(-o|--output|--export-(json|csv|markdown|asciidoc|orgmode))$/.test(head)
      ? args[at + 1]
      : glued === undefined
        ? undefined
        : dropHead(word, glued.length);
    if (file === undefined) return;
    named = true;
    out.write(file);
  });
  if (name === "perf" && textOf(args[0]) === "record" && !named) out.write(literal("perf.data"));
  out.opaque(`${name}: it starts other programs`);
}

/** A shell reads its script file; texts in its words are commands of their own. */
function shell({ args, out }: Call): void {
  let at = 0;
  for (; at < args.length; at += 1) {
    const head = headOf(args[at] ?? literal(""));
    if (/^-[^-]*[cs]|^-$/.test(head)) return;
    if (!/^[-+]/.test(head)) break;
    if (/^[-+][^-]*[oO]$|^--(rcfile|init-file)$/.test(head)) at += 1;
  }
  const script = args[at];
  if (script !== undefined) out.read(script);
}

const date = program(
  "-d,--date=. --debug -f,--file=r -I,--iso-8601=?. -r,--reference=r -R,--rfc-email --rfc-3339=. -s,--set=. --resolution -u,--utc,--universal -j -n -v=.",
  (parsed, { out }) => {
    if (has(parsed, "-s") || parsed.operands.some((word) => !headOf(word).startsWith("+")))
      out.opaque("date sets the clock");
  },
);

/** Programs that answer, wait or print, builtins that only change the shell, and programs that change the system itself. */
export const system: Family = [
  ...wrappers,
  [
    `echo printf true false : pwd cd pushd popd dirs exit return break continue shift wait jobs fg bg disown times getopts umask
      ulimit suspend logout caller set unset shopt alias unalias hash type which whence whereis trap enable bind complete compgen compopt
      let read mapfile readarray help select`,
    quiet,
  ],
  ["export declare typeset local readonly", assigning],
  [
    "test [",
    {
      textOnly: true,
      run: ({ args, out }) => {
        args.forEach((word, at) => {
          const [before, after] = [textOf(args[at - 1]) ?? "", textOf(args[at + 1]) ?? ""];
          if (/^-[abcdefghkprsuwxGLNOS]$/.test(before) || /^-(nt|ot|ef)$/.test(before) || /^-(nt|ot|ef)$/.test(after))
            out.suppose(word);
        });
      },
    },
  ],
  [
    "lsof fuser",
    {
      textOnly: true,
      run: ({ args, out }) => {
        for (const word of args) if (!headOf(word).startsWith("-")) out.suppose(word);
      },
    },
  ],
  [
    `sleep usleep seq yes nproc uptime free ps pgrep pidof pstree top htop vmstat iostat mpstat who w users id whoami logname groups uname
      arch tty locale cal ncal expr factor printenv getconf lscpu lsblk lsusb lspci lsmod ss netstat ifconfig clear reset tput stty
      numfmt figlet cowsay fortune banner toilet mesg nologin last lastlog uuidgen mcookie sensors acpi kill pkill killall xkill`,
    quiet,
  ],
  ["perf valgrind hyperfine", { run: measuring }],
  ["sh bash dash zsh ksh mksh ash rbash", { run: shell, textOnly: true }],
  ["date gdate", date],
  [
    "hostname",
    program(
      "-AadfiIsyv --alias --all-fqdns --domain --fqdn --long --ip-address --all-ip-addresses --short --yp --nis -b,--boot -F,--file=r -h",
      (parsed, { out }) => {
        if (parsed.operands.length > 0 || has(parsed, "-F")) out.opaque("hostname sets the host's name");
      },
    ),
  ],
  [
    "at batch",
    {
      run: ({ args, out, name }) => {
        const file = args[args.findIndex((word) => textOf(word) === "-f") + 1];
        if (args.some((word) => textOf(word) === "-f") && file !== undefined) out.read(file);
        out.opaque(`${name}: it starts other programs later`);
      },
    },
  ],
  [
    `atq atrm systemd-run nsenter unshare chroot setpriv runuser runcon capsh firejail bwrap flatpak-spawn machinectl parallel sem
      entr watchexec nodemon inotifywait xdg-open open start man info tldr apropos whatis screen tmux dtach byobu dbus-send busctl gdb lldb
      bpftrace sysdig`,
    unseen("it starts other programs, now or later"),
  ],
  [
    `mount umount losetup swapon swapoff mkswap fdisk sfdisk parted gdisk sgdisk mkfs mke2fs mkfs.ext4 mkfs.xfs mkfs.vfat fsck e2fsck
      tune2fs resize2fs cryptsetup lvcreate lvremove vgcreate pvcreate mdadm blkdiscard wipefs hdparm systemctl service initctl rc-service
      launchctl reboot shutdown halt poweroff init telinit useradd userdel usermod groupadd groupdel adduser deluser passwd chpasswd chsh
      chfn visudo vipw iptables ip6tables nft ufw firewall-cmd ip route arp sysctl modprobe insmod rmmod kexec setenforce
      update-alternatives ldconfig depmod update-grub grub-install efibootmgr timedatectl hostnamectl localectl loginctl journalctl dmesg
      logger wall write`,
    unseen("it changes or controls the system"),
  ],
];
