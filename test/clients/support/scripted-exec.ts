import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ExecStart, RunRequest, RunResponseSchema } from "../../../src/gen/sallyport/v1/exec_pb.ts";
import type { CallContext } from "../../../src/server/glue/call-context.ts";
import { aborted } from "./test-server.ts";
import { Problem } from "../../../src/model/problem.ts";

type Response = MessageInitShape<typeof RunResponseSchema>;

/** What the scripted Exec service saw. */
export interface ExecLog {
  readonly starts: ExecStart[];
  readonly steps: string[];
  /** Commands that were cut off before their end. */
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
};

/** An Exec.Run that behaves like small programs: cat, exit N, killed, yes, sleep, sudo, missing, bytes, tty. */
export function scriptedRun(log: ExecLog) {
  return async function* run(requests: AsyncIterable<RunRequest>, context: CallContext): AsyncGenerator<Response> {
    let ended = false;
    try {
      for await (const response of program(requests, context)) {
        ended ||= response.event?.case === "exit";
        yield response;
      }
    } finally {
      if (!ended) log.cancelled += 1;
    }
  };

  async function* program(requests: AsyncIterable<RunRequest>, { signal }: CallContext): AsyncGenerator<Response> {
    const steps = requests[Symbol.asyncIterator]();
    const first = (await steps.next()).value as RunRequest;
    if (first.step.case !== "start") throw new Problem("invalid_argument", "start is missing", { field: "start" });
    const start = first.step.value;
    log.starts.push(start);
    const form = start.command?.form;
    const words = form?.case === "argv" ? form.value.words : (form?.value ?? "").split(" ");
    const text = (value: string) => new TextEncoder().encode(value);
    const [program = ""] = words;
    switch (program) {
      case "sudo":
        throw new Problem("permission_denied", "refused", { denial: sudoDenial });
      case "missing":
        throw new Problem("not_found", "no such program: missing", { field: "start.command" });
      case "nosession":
        throw new Problem("not_found", "no such session", { field: "start.session_id" });
      case "broken":
        throw new Problem("internal", "the sandbox broke");
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
      case "tty":
        yield { event: { case: "stdout", value: text("ready\r\n") } };
        break;
      case "ttybroken":
        throw new Problem("unavailable", "the sandbox is gone");
      case "yes":
        while (!signal.aborted) yield { event: { case: "stdout", value: text("y\n".repeat(16384)) } };
        return;
    }
    // Everything else reads its input: cat echoes it, the others report what happens to them.
    for (;;) {
      const { value, done } = await steps.next();
      // A connection that broke ends the requests, too.
      if (signal.aborted) return;
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
  }
}

function exit(code: number): Response {
  return { event: { case: "exit", value: { status: { case: "code", value: code }, durationMs: 12n } } };
}
