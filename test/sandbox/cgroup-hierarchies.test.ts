import { describe, expect, test } from "vitest";
import { findHierarchies, limitFiles } from "../../src/sandbox/bubblewrap/cgroup-hierarchies.ts";

const unified = "35 24 0:30 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate";
const version1 = [
  "31 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct",
  "34 30 0:31 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory",
  "37 30 0:34 / /sys/fs/cgroup/blkio rw,relatime - cgroup cgroup rw,blkio",
  "38 30 0:35 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids",
];
const all = ["memory", "cpu", "pids"];

describe("the places for control groups", () => {
  test("are one in version 2, the top for root", () => {
    expect(findHierarchies(unified, "0::/init.scope\n", 0)).toEqual([
      { version: 2, folder: "/sys/fs/cgroup", controllers: all },
    ]);
  });

  test("are the part of systemd's that was handed to a user's manager, where he runs below it", () => {
    const own = "/user.slice/user-1000.slice/user@1000.service";
    expect(findHierarchies(unified, `0::${own}/app.slice/app-term.scope\n`, 1000)).toEqual([
      { version: 2, folder: `/sys/fs/cgroup${own}`, controllers: all },
    ]);
    // A login over ssh runs beside the manager, and a stranger's manager is none of his.
    expect(findHierarchies(unified, "0::/user.slice/user-1000.slice/session-3.scope\n", 1000)).toEqual([]);
    expect(findHierarchies(unified, `0::${own}/app.slice/a.scope\n`, 1001)).toEqual([]);
  });

  test("are one for each controller in version 1, and version 2 beside it has none of these", () => {
    const hybrid = [...version1, unified.replace("/sys/fs/cgroup ", "/sys/fs/cgroup/unified ")].join("\n");
    expect(findHierarchies(hybrid, "", 0)).toEqual([
      { version: 1, folder: "/sys/fs/cgroup/cpu,cpuacct", controllers: ["cpu"] },
      { version: 1, folder: "/sys/fs/cgroup/memory", controllers: ["memory"] },
      { version: 1, folder: "/sys/fs/cgroup/pids", controllers: ["pids"] },
    ]);
  });

  test("are none where nothing is mounted, or the text is none of the kernel's", () => {
    expect(findHierarchies("", "", 0)).toEqual([]);
    expect(findHierarchies("x - cgroup2\n - cgroup cgroup rw,memory\n", "0::", 0)).toEqual([]);
  });
});

describe("a limit's files", () => {
  const limits = { memoryBytes: 1024, cpus: 1.5, pids: 10 };
  test.each([
    [1, "memory", ["memory.limit_in_bytes=1024", "memory.memsw.limit_in_bytes=1024?"]],
    [2, "memory", ["memory.max=1024", "memory.swap.max=0?"]],
    [1, "cpu", ["cpu.cfs_period_us=100000", "cpu.cfs_quota_us=150000"]],
    [2, "cpu", ["cpu.max=150000 100000"]],
    [1, "pids", ["pids.max=11"]],
    [2, "pids", ["pids.max=11"]],
  ] as const)("of version %i for %s", (version, controller, expected) => {
    const files = limitFiles(version, controller, limits);
    expect(files.map(({ name, value, optional }) => `${name}=${value}${optional ? "?" : ""}`)).toEqual(expected);
  });
});
