import { Health } from "../../gen/grpc/health/v1/health_pb.ts";
import { AgentsService } from "../../gen/sallyport/v1/agents_pb.ts";
import { ApprovalsService } from "../../gen/sallyport/v1/approvals_pb.ts";
import { AuditService } from "../../gen/sallyport/v1/audit_pb.ts";
import { ExecService } from "../../gen/sallyport/v1/exec_pb.ts";
import { FetchService } from "../../gen/sallyport/v1/fetch_pb.ts";
import { FilesService } from "../../gen/sallyport/v1/files_pb.ts";
import { PolicyService } from "../../gen/sallyport/v1/policy_pb.ts";
import { SessionsService } from "../../gen/sallyport/v1/sessions_pb.ts";
import { connect, type ConnectionOptions } from "./connection.ts";
import { execCall, type ExecCall } from "./exec-call.ts";
import type { ExecSpec } from "./exec-spec.ts";
import type { CallOptions } from "./call-options.ts";
import { ready } from "./ready.ts";
import { serviceClient } from "./service-client.ts";
import { startBackground, type StartedProcess } from "./start-background.ts";

/** A connection to Sallyport. All services share one HTTP/2 connection, opened by the first call and kept. */
export type SallyportClient = ReturnType<typeof createClient>;

/** Connects to a server. Nothing is sent before the first call. @throws SallyportError `invalid_argument` for bad options */
export function createClient(options: ConnectionOptions) {
  const transport = connect(options);
  const commands = serviceClient(ExecService, transport);
  return {
    sessions: serviceClient(SessionsService, transport),
    /** The Exec service as it is. */
    commands,
    files: serviceClient(FilesService, transport),
    fetch: serviceClient(FetchService, transport),
    approvals: serviceClient(ApprovalsService, transport),
    policy: serviceClient(PolicyService, transport),
    audit: serviceClient(AuditService, transport),
    agents: serviceClient(AgentsService, transport),
    /** The health protocol of gRPC: the server as a whole, its services and its parts. */
    health: serviceClient(Health, transport),
    /** Runs one command: iterate for its events, write its standard input, signal it. */
    exec: (spec: ExecSpec, callOptions: CallOptions = {}): ExecCall => {
      const sessionId = spec.sessionId ?? "";
      return execCall(commands.run(callOptions), spec, {
        signal: (processId, signal) => commands.signal({ sessionId, processId, signal }),
        resize: (processId, size) => commands.resize({ sessionId, processId, size }),
      });
    },
    /** Starts a command that goes on without its caller; `commands` lists, follows and ends it. */
    background: (spec: ExecSpec, callOptions: CallOptions = {}): Promise<StartedProcess> =>
      startBackground(commands.run(callOptions), spec),
    /** Opens the connection now, so that the first command does not pay for it. @throws SallyportError `unavailable` after `timeoutMs` */
    ready: (timeoutMs = 5000): Promise<void> => ready(transport.channel, timeoutMs),
    /** Closes the connection. Calls that are still open end with `unavailable`. */
    close: (): void => transport.close(),
  };
}
