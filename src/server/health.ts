import { Health, HealthCheckResponse_ServingStatus as Serving } from "../gen/grpc/health/v1/health_pb.ts";
import { Problem } from "../model/problem.ts";
import { serverStream, type Route, unary } from "./glue/route.ts";
import { openDoor } from "./glue/wiring.ts";

/**
 * The health protocol of gRPC (grpc/grpc, doc/health-checking.md) for the server as a whole (the empty name) and each service. Everything
 * serves until `draining` aborts, and nothing does from then on; watchers are told, and their streams end, so that none holds up the shutdown.
 */
export function healthRoutes(services: readonly string[]): readonly Route[] {
  const names = new Set(["", ...services]);
  const current = (draining: AbortSignal): Serving => (draining.aborted ? Serving.NOT_SERVING : Serving.SERVING);
  const { check, list, watch } = Health.method;
  return [
    unary(openDoor, check, ({ service }, { draining }) =>
      names.has(service)
        ? Promise.resolve({ status: current(draining) })
        : Promise.reject(new Problem("not_found", "service: unknown", { field: "service" })),
    ),
    unary(openDoor, list, (_request, { draining }) =>
      Promise.resolve({
        statuses: Object.fromEntries([...names].map((name) => [name, { status: current(draining) }])),
      }),
    ),
    serverStream(openDoor, watch, async function* ({ service }, { draining, signal }) {
      yield { status: names.has(service) ? current(draining) : Serving.SERVICE_UNKNOWN };
      await abortOf(AbortSignal.any([draining, signal]));
      signal.throwIfAborted();
      if (names.has(service)) yield { status: Serving.NOT_SERVING };
    }),
  ];
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
