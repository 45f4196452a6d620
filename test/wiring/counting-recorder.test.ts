import { expect, it } from "vitest";
import { createAgents } from "../../src/sessions/agents.ts";
import { countingRecorder } from "../../src/wiring/counting-recorder.ts";
import { temporaryFolder } from "../audit/folders.ts";
import { auditIn, entry } from "../audit/fixture.ts";
import { databaseIn } from "../sessions/fixture.ts";

it("counts requests, refusals, commands, and all bytes that were read, written, fetched or printed", () => {
  const folder = temporaryFolder();
  const agents = createAgents({ database: databaseIn(folder, "agents.db"), clock: () => new Date() });
  const recorder = countingRecorder(auditIn(folder), agents);
  const asked = entry("ls");
  const command = recorder.open(asked);
  recorder.close(command, { kind: "done", facts: { code: 0, stdoutBytes: 20, stderrBytes: 3 } });
  recorder.close(recorder.open(asked), { kind: "failed", reason: "x", facts: { bytes: 100 } });
  recorder.close(recorder.open(asked), { kind: "abandoned", reason: "x" });
  recorder.refuse({ ...asked, verdict: "deny" });
  expect(agents.usage(asked.subject.agent)).toMatchObject({ requests: 4, refused: 1, commands: 3, bytes: 123 });
});
