import Docker from "dockerode";
import { exhausted } from "../model/exhausted.ts";
import { Problem } from "../model/problem.ts";
import { SshAgent } from "./ssh-connection.ts";
import { within } from "./within.ts";
import { noEngine, type EngineEndpoint } from "./engine-endpoint.ts";

const neverAborted = new AbortController().signal;

/** A container engine behind dockerode, every call under a deadline and every failure a Problem. */
export class Engine {
  readonly endpoint: EngineEndpoint;
  readonly docker: Docker;
  readonly #deadlineMs: number;
  /** Whether it ever answered: then it is expected back. */
  #known = false;

  constructor(endpoint: EngineEndpoint, deadlineMs: number) {
    this.endpoint = endpoint;
    this.#deadlineMs = deadlineMs;
    this.docker = new Docker(dockerOptions(endpoint));
  }

  /**
   * Runs one call. `what` names it for the message, `image` the image it is about.
   * @throws Problem `unavailable` where the engine does not answer in time or any more, `failed_precondition` where there is none or the image
   * is missing, `cancelled` where the signal aborts, otherwise `internal` with the engine's words.
   */
  async call<T>(
    what: string,
    run: (docker: Docker) => Promise<T>,
    options: { signal?: AbortSignal; image?: string } = {},
  ): Promise<T> {
    const { signal = neverAborted, image } = options;
    try {
      const late = `the container engine did not answer (${what})`;
      const answer = await within(run(this.docker), this.#deadlineMs, late, signal);
      this.#known = true;
      return answer;
    } catch (error) {
      throw this.#problem(what, error, image);
    }
  }

  #problem(what: string, error: unknown, image: string | undefined): Problem {
    if (error instanceof Problem) return error;
    const { statusCode, code, message } = asEngineError(error);
    if (statusCode === 404 && image !== undefined)
      return new Problem(
        "failed_precondition",
        `image: ${image} is not on this machine: run \`docker pull ${image}\`, or \`make images\` where it is Sallyport's own`,
        { field: "image", cause: error },
      );
    const scarce = scarcities.find(([words]) => words.test(message))?.[1];
    if (scarce !== undefined)
      return new Problem(
        "resource_exhausted",
        `the container engine's machine has no ${scarce} left (${what}): ${message}`,
        { cause: error },
      );
    if (message.includes("bind source path does not exist"))
      return new Problem(
        "failed_precondition",
        `the container engine does not see a path of this machine: ${message}. Where Sallyport runs in a container itself, mount its folders there at the same paths and set the carrier to attach`,
        { cause: error },
      );
    if (this.#known && (code === "ENOENT" || code === "ECONNREFUSED"))
      return new Problem("unavailable", `the container engine is gone (${what}: ${code}): try again once it is back`, {
        cause: error,
      });
    if (code === "ENOENT" || code === "ECONNREFUSED" || code === "EACCES") return noEngine(this.endpoint, code);
    if (statusCode === undefined)
      return new Problem("unavailable", `the container engine failed (${what}): ${message}`, { cause: error });
    return new Problem("internal", `the container engine refused (${what}): ${message}`, { cause: error });
  }
}

/** What an engine says where its machine is at an end, and what it is short of. */
const scarcities: readonly (readonly [RegExp, string])[] = [
  [/no space left on device|disk quota exceeded/, "room on its disk"],
  // The last is runc's, whose own child could not be cloned.
  [
    /resource temporarily unavailable|cannot allocate memory|out of memory|can't get final child's PID/i,
    "processes or memory",
  ],
];

/** What dockerode's errors carry. */
export function asEngineError(error: unknown): { statusCode?: number; code?: string; message: string } {
  if (!(error instanceof Error)) return { message: String(error) };
  const found: { statusCode?: number; code?: string; message: string } = { message: error.message.slice(0, 500) };
  if ("statusCode" in error && typeof error.statusCode === "number") found.statusCode = error.statusCode;
  if ("code" in error && typeof error.code === "string") found.code = error.code;
  return found;
}

function dockerOptions(endpoint: EngineEndpoint): Docker.DockerOptions {
  switch (endpoint.kind) {
    case "unix":
      return { socketPath: endpoint.path };
    case "tcp": {
      const { host, port, tls } = endpoint;
      return tls === undefined ? { protocol: "http", host, port } : { protocol: "https", host, port, ...tls };
    }
    case "ssh": {
      // The name is for the Host header only. The types know of no agent, docker-modem does.
      const reached = { protocol: "http", host: "docker", port: 80, agent: new SshAgent(endpoint.target) } as const;
      return reached;
    }
    default:
      return exhausted(endpoint);
  }
}
