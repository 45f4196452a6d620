import { Health, HealthCheckResponse_ServingStatus as Serving } from "../gen/grpc/health/v1/health_pb.ts";
import { Problem } from "../model/problem.ts";
import { serverStream, type Route, unary } from "./glue/route.ts";
import { openDoor } from "./glue/wiring.ts";

/** Something beside the services that can be well or not, such as the rule files; a detail of health with a name of its own. */
export interface HealthPart {
  /** What clients ask for, such as `sallyport.permissions`. */
  readonly name: string;
  /** Whether it is well now. */
  well(): boolean;
  /** Calls `changed` after each change until `signal` aborts. */
  follow(changed: () => void, signal: AbortSignal): void;
}

/**
 * The health protocol of gRPC (grpc/grpc, doc/health-checking.md) for the server as a whole (the empty name), each service and each part. A part is NOT_SERVING while it is not well, and
 * takes nothing else with it. Everything else serves until `draining` aborts, and nothing does from then on; watchers are told, and their streams end, so that none holds up the shutdown.
 */
export function healthRoutes(services: readonly string[], parts: readonly HealthPart[] = []): readonly Route[] {
  const names = new Set(["", ...services, ...parts.map(({ name }) => name)]);
  const partOf = (name: string): HealthPart | undefined => parts.find((part) => part.name === name);
  const statusOf = (name: string, draining: AbortSignal): Serving =>
    draining.aborted || partOf(name)?.well() === false ? Serving.NOT_SERVING : Serving.SERVING;
  const { check, list, watch } = Health.method;
  return [
    unary(openDoor, check, ({ service }, { draining }) =>
      names.has(service)
        ? Promise.resolve({ status: statusOf(service, draining) })
        : Promise.reject(new Problem("not_found", "service: unknown", { field: "service" })),
    ),
    unary(openDoor, list, (_request, { draining }) =>
      Promise.resolve({
        statuses: Object.fromEntries([...names].map((name) => [name, { status: statusOf(name, draining) }])),
      }),
    ),
    serverStream(openDoor, watch, async function* ({ service }, { draining, signal }) {
      const ended = AbortSignal.any([draining, signal]);
      if (!names.has(service)) {
        yield { status: Serving.SERVICE_UNKNOWN };
        await wakeOf(undefined, ended);
        signal.throwIfAborted();
        return;
      }
      let told: Serving | undefined;
      for (;;) {
        // Followed before it is looked at: a change in between must not be missed.
        const wake = wakeOf(partOf(service), ended);
        const status = statusOf(service, draining);
        if (status !== told) yield { status };
        told = status;
        if (draining.aborted) return;
        await wake;
        signal.throwIfAborted();
      }
    }),
  ];
}

/** Resolves at the next change of the part, or when `ended` aborts. */
function wakeOf(part: HealthPart | undefined, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const woken = new AbortController();
    const wake = (): void => {
      woken.abort();
      ended.removeEventListener("abort", wake);
      resolve();
    };
    if (ended.aborted) return wake();
    ended.addEventListener("abort", wake);
    part?.follow(wake, woken.signal);
  });
}
