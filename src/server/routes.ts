import type { DescService } from "@bufbuild/protobuf";
import { Health } from "../gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { AgentsService } from "../gen/sallyport/v1/agents_pb.ts";
import { ApprovalsService } from "../gen/sallyport/v1/approvals_pb.ts";
import { AuditService } from "../gen/sallyport/v1/audit_pb.ts";
import { ExecService } from "../gen/sallyport/v1/exec_pb.ts";
import { FetchService } from "../gen/sallyport/v1/fetch_pb.ts";
import { FilesService } from "../gen/sallyport/v1/files_pb.ts";
import { PolicyService } from "../gen/sallyport/v1/policy_pb.ts";
import { SessionsService } from "../gen/sallyport/v1/sessions_pb.ts";
import { methodName } from "./glue/method-name.ts";
import type { Route } from "./glue/route.ts";
import { unbuilt } from "./glue/unbuilt.ts";
import { agentsRoutes } from "./handlers/agents.ts";
import { approvalsRoutes } from "./handlers/approvals.ts";
import { auditRoutes } from "./handlers/audit.ts";
import { backgroundRoutes } from "./handlers/background.ts";
import { execRoutes } from "./handlers/exec.ts";
import { fetchRoutes } from "./handlers/fetch.ts";
import { filesRoutes } from "./handlers/files.ts";
import { filesChangesRoutes } from "./handlers/files-changes.ts";
import { filesTrashRoutes } from "./handlers/files-trash.ts";
import { filesArchivesRoutes } from "./handlers/files-archives.ts";
import { filesSearchRoutes } from "./handlers/files-search.ts";
import { filesWatchRoutes } from "./handlers/files-watch.ts";
import { policyRoutes } from "./handlers/policy.ts";
import { tableOfCommands } from "./handlers/running-commands.ts";
import { sessionsRoutes } from "./handlers/sessions.ts";
import { type HealthPart, healthRoutes } from "./health.ts";
import type { Ports } from "./ports.ts";
import { indexDescriptors } from "./reflection/descriptor-index.ts";
import { reflectionRoutes } from "./reflection/reflection-routes.ts";

/** The services of Sallyport's own API. */
export const apiServices: readonly DescService[] = [
  SessionsService,
  ExecService,
  FilesService,
  FetchService,
  ApprovalsService,
  PolicyService,
  AuditService,
  AgentsService,
];

/** RPCs that are part of the API and not built yet, by full name. They answer UNIMPLEMENTED; the README lists them. */
export const unbuiltRpcs: readonly string[] = [];

/** The routes of the API that are built, over the other rooms. */
export function apiRoutes(ports: Ports): readonly Route[] {
  const execRoom = { ...ports, running: tableOfCommands() };
  return [
    ...sessionsRoutes(ports),
    ...execRoutes(execRoom),
    ...backgroundRoutes(execRoom),
    ...filesRoutes(ports),
    ...filesSearchRoutes(ports),
    ...filesWatchRoutes(ports),
    ...filesArchivesRoutes(ports),
    ...filesChangesRoutes(ports),
    ...filesTrashRoutes(ports),
    ...fetchRoutes(ports),
    ...approvalsRoutes(ports),
    ...policyRoutes(ports),
    ...auditRoutes(ports),
    ...agentsRoutes(ports),
  ];
}

/** All that a server serves: the given routes, UNIMPLEMENTED for the rest of the API, health (with `parts` as details of it) and reflection. */
export function completeRoutes(built: readonly Route[], parts: readonly HealthPart[] = []): readonly Route[] {
  const names = apiServices.map((service) => service.typeName);
  const served = new Set(built.map(({ method }) => methodName(method)));
  const rest = apiServices.flatMap((service) => service.methods.filter((method) => !served.has(methodName(method))));
  const index = indexDescriptors([...apiServices, Health, ServerReflection, ServerReflectionAlpha]);
  return [...built, ...rest.map(unbuilt), ...healthRoutes(names, parts), ...reflectionRoutes(index)];
}
