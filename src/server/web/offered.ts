import type { DescMethod } from "@bufbuild/protobuf";
import { Health } from "../../gen/grpc/health/v1/health_pb.ts";
import { AgentsService } from "../../gen/sallyport/v1/agents_pb.ts";
import { ApprovalsService } from "../../gen/sallyport/v1/approvals_pb.ts";
import { AuditService } from "../../gen/sallyport/v1/audit_pb.ts";
import { ExecService } from "../../gen/sallyport/v1/exec_pb.ts";
import { PolicyService } from "../../gen/sallyport/v1/policy_pb.ts";
import { SessionsService } from "../../gen/sallyport/v1/sessions_pb.ts";

/**
 * The methods that the page needs. Nothing else is there: whoever takes a browser over can answer and change rules, but has no command line, no file and no
 * way out, and cannot make himself a token that outlives his visit.
 */
export const offeredToPage: ReadonlySet<DescMethod> = new Set<DescMethod>([
  ...ApprovalsService.methods,
  ...PolicyService.methods,
  ...AuditService.methods,
  SessionsService.method.list,
  SessionsService.method.get,
  SessionsService.method.update,
  SessionsService.method.close,
  SessionsService.method.listStanding,
  SessionsService.method.revokeStanding,
  ExecService.method.list,
  ExecService.method.attach,
  ExecService.method.watch,
  ExecService.method.signal,
  ExecService.method.stop,
  AgentsService.method.list,
  AgentsService.method.usage,
  AgentsService.method.revokeTokens,
  Health.method.list,
]);
