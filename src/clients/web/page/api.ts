import { type Client, Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { Health } from "../../../gen/grpc/health/v1/health_pb.ts";
import { AgentsService } from "../../../gen/sallyport/v1/agents_pb.ts";
import { ApprovalsService } from "../../../gen/sallyport/v1/approvals_pb.ts";
import { AuditService } from "../../../gen/sallyport/v1/audit_pb.ts";
import { ExecService } from "../../../gen/sallyport/v1/exec_pb.ts";
import { PolicyService } from "../../../gen/sallyport/v1/policy_pb.ts";
import { SessionsService } from "../../../gen/sallyport/v1/sessions_pb.ts";
import { visible } from "../../text/visible.ts";
import { forgetVisit, visitKey } from "./visit.ts";

/** The services that the page is offered. */
export interface Api {
  readonly approvals: Client<typeof ApprovalsService>;
  readonly sessions: Client<typeof SessionsService>;
  readonly exec: Client<typeof ExecService>;
  readonly policy: Client<typeof PolicyService>;
  readonly audit: Client<typeof AuditService>;
  readonly agents: Client<typeof AgentsService>;
  readonly health: Client<typeof Health>;
}

const withKey: Interceptor = (next) => async (request) => {
  request.header.set("x-sallyport-key", visitKey());
  try {
    return await next(request);
  } catch (error) {
    if (ConnectError.from(error).code === Code.Unauthenticated) forgetVisit();
    throw error;
  }
};

/** Makes the clients. */
function createApi(): Api {
  const transport = createConnectTransport({ baseUrl: "/api", useBinaryFormat: true, interceptors: [withKey] });
  return {
    approvals: createClient(ApprovalsService, transport),
    sessions: createClient(SessionsService, transport),
    exec: createClient(ExecService, transport),
    policy: createClient(PolicyService, transport),
    audit: createClient(AuditService, transport),
    agents: createClient(AgentsService, transport),
    health: createClient(Health, transport),
  };
}

/** The server of this page. */
export const api: Api = createApi();

/** What went wrong, for a person. */
export function faultWords(error: unknown): string {
  const { rawMessage, code } = ConnectError.from(error);
  if (code === Code.Unknown || code === Code.Unavailable) return "Sallyport cannot be reached.";
  return visible(rawMessage);
}
