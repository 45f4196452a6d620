import type { DescMethod, DescService } from "@bufbuild/protobuf";
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
import { methodName, type Route } from "./glue/route.ts";
import { unbuilt } from "./glue/unbuilt.ts";
import { healthRoutes } from "./health.ts";
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

/** RPCs of the API that no route serves, by full name and in the order of the API. */
export function unbuiltMethods(built: readonly Route[]): readonly DescMethod[] {
  const served = new Set(built.map(({ method }) => methodName(method)));
  return apiServices.flatMap((service) => service.methods.filter((method) => !served.has(methodName(method))));
}

/** All that a server serves: the given routes, UNIMPLEMENTED for the rest of the API, health and reflection. */
export function completeRoutes(built: readonly Route[]): readonly Route[] {
  const names = apiServices.map((service) => service.typeName);
  const index = indexDescriptors([...apiServices, Health, ServerReflection, ServerReflectionAlpha]);
  return [...built, ...unbuiltMethods(built).map(unbuilt), ...healthRoutes(names), ...reflectionRoutes(index)];
}
