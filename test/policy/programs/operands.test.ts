import { describe, expect, test } from "vitest";
import { analyseShell } from "../../../src/policy/shell/analyse-shell.ts";
import { lines } from "./corpus.ts";
import { hostsOf, pathsOf, unseen } from "./found.ts";
import { corpusWorld } from "./world.ts";

describe("what known programs touch", () => {
  test.each(lines(new URL("operands.jsonl", import.meta.url)))(
    "$id $cmd",
    ({ cmd, reads, writes, deletes, hosts, unknown }) => {
      const analysis = analyseShell(cmd, corpusWorld);
      expect({
        reads: pathsOf(analysis, "read"),
        writes: pathsOf(analysis, "write"),
        deletes: pathsOf(analysis, "delete"),
        hosts: hostsOf(analysis),
        unknown: unseen(analysis).length > 0,
      }).toEqual({ reads, writes, deletes, hosts, unknown });
    },
  );
});
