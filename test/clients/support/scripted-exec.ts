import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ExecStart, RunRequest, RunResponseSchema } from "../../../src/gen/sallyport/v1/exec_pb.ts";
import { aborted, Refusal, type Context } from "./test-server.ts";

type Response = MessageInitShape<typeof RunResponseSchema>;

/** What the scripted Exec service saw. */
export interface ExecLog {
  readonly starts: ExecStart[];
  readonly steps: string[];
  cancelled: number;
}

/** The denial that the scripted service refuses `sudo` with. */
export const sudoDenial = {
  effect: "run sudo -n true",
  ruleId: "blocklist.sudo",
  source: "hardcoded",
  because: "root is not for agents\u001b[2J",
  missing: "nothing lifts this",
  next: "run it yourself",
  entryId: "e-1",
};

/** An Exec.Run that behaves like small programs: cat, exit N, killed, yes, sleep, sudo, missing, bytes, tty. */
export function scriptedRun(log: ExecLog) {
  return async function* run(requests: AsyncIterable<RunRequest>, { signal }: Context): AsyncGenerator<Response> {
    signal.addEventListener("abort", () => (log.cancelled += 1));
    const steps = requests[Symbol.asyncIterator]();
    const first = (await steps.next()).value as RunRequest;
    if (first.step.case !== "start") throw new Refusal(3, "start is missing", { field: "start" });
    const start = first.step.value;
    log.starts.push(start);
    const form = start.command?.form;
    const words = form?.case === "argv" ? form.value.words : (form?.value ?? "").split(" ");
    const text = (value: string) => new TextEncoder().encode(value);
    const [program = ""] = words;
    switch (program) {
      case "sudo":
        throw new Refusal(7, "refused", { denial: sudoDenial });
      case "missing":
        throw new Refusal(5, "no such program: missing", { field: "start.command" });
      case "nosession":
        throw new Refusal(5, "no such session", { field: "start.session_id" });
      case "broken":
        throw new Refusal(13, "the sandbox broke");
      case "asked":
        await aborted(signal);
        return;
    }
    yield { event: { case: "started", value: { pid: 42, entryId: "e-9" } } };
    switch (program) {
      case "exit":
        yield exit(Number(words[1]));
        return;
      case "killed":
        yield {
          event: { case: "exit", value: { status: { case: "signal", value: 9 }, limit: "timeout", truncated: true } },
        };
        return;
      case "bytes":
        yield { event: { case: "stdout", value: Uint8Array.from({ length: 256 }, (_, byte) => byte) } };
        yield { event: { case: "stderr", value: text("to stderr\n") } };
        yield exit(0);
        return;
      case "yes":
        while (!signal.aborted) yield { event: { case: "stdout", value: text("y\n".repeat(16384)) } };
        return;
    }
    // Everything else reads its input: cat echoes it, the others report what happens to them.
    for (;;) {
      const { value, done } = await steps.next();
      if (done === true) break;
      const { step } = value;
      if (step.case !== "stdin") log.steps.push(step.case === "signal" ? `signal ${step.value}` : (step.case ?? ""));
      if (step.case === "stdin") {
        yield { event: { case: "stdout", value: step.value } };
        if (program === "tty" && Buffer.from(step.value).includes(4)) break;
      } else if (step.case === "closeStdin") break;
      else if (step.case === "resize")
        yield { event: { case: "stdout", value: text(`size ${step.value.columns}x${step.value.rows}\r\n`) } };
      else if (step.case === "signal" && program === "sleep") {
        yield { event: { case: "exit", value: { status: { case: "signal", value: step.value } } } };
        return;
      }
    }
    yield exit(0);
  };
}

function exit(code: number): Response {
  return { event: { case: "exit", value: { status: { case: "code", value: code }, durationMs: 12n } } };
}
