import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RunRequestSchema, RunResponse } from "../../gen/sallyport/v1/exec_pb.ts";
import type { Duplex } from "./duplex-call.ts";
import { execStart, type ExecSpec } from "./exec-spec.ts";
import { SallyportError } from "./sallyport-error.ts";
import { type ExecStartedEvent, startedEvent } from "./started-event.ts";

/** A process that was started in the background. */
export interface StartedProcess {
  /** Its name for List, Attach, SendInput, Signal, Resize and Stop. */
  readonly processId: string;
  readonly pid: number;
  /** As in ExecStartedEvent. */
  readonly instead?: NonNullable<ExecStartedEvent["instead"]>;
}

/** Starts a background process on an open Run call, which ends with it. @throws SallyportError `permission_denied` with a denial where it was refused */
export async function startBackground(
  call: Duplex<MessageInitShape<typeof RunRequestSchema>, RunResponse>,
  spec: ExecSpec,
): Promise<StartedProcess> {
  void call.send({ step: { case: "start", value: { ...execStart(spec), background: true } } });
  for await (const { event } of call)
    if (event.case === "started") {
      const { pid, entryId: processId, instead } = startedEvent(event.value);
      return { processId, pid, ...(instead === undefined ? {} : { instead }) };
    }
  throw new SallyportError("data_loss", "the server ended the stream without saying what it started");
}
