import { request as httpRequest, type ClientRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { exhausted } from "../model/exhausted.ts";
import { Problem } from "../model/problem.ts";
import type { EngineEndpoint } from "./engine-endpoint.ts";
import { SshConnection } from "./ssh-connection.ts";

/**
 * Attaches to a container's standard streams by an HTTP upgrade (Docker Engine API, ContainerAttach). By hand, because dockerode sends a
 * body after the headers, which engines hand to the container as its first input. To be called before the container starts.
 */
export function attach(endpoint: EngineEndpoint, containerId: string, deadlineMs: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const request = send(endpoint, {
    method: "POST",
    path: `/containers/${containerId}/attach?stream=1&stdin=1&stdout=1&stderr=1`,
    headers: { Connection: "Upgrade", Upgrade: "tcp" },
  });
  const timer = setTimeout(
    () =>
      request.destroy(
        new Problem("unavailable", `the container engine did not answer within ${deadlineMs} ms (attach)`),
      ),
    deadlineMs,
  );
  request.once("upgrade", (_response, socket, head) => {
    clearTimeout(timer);
    socket.setTimeout(0);
    if (head.length > 0) socket.unshift(head);
    resolve(socket);
  });
  request.once("response", (response) => {
    response.resume();
    request.destroy(
      new Problem("internal", `the container engine refused to attach (HTTP ${response.statusCode ?? 0})`),
    );
  });
  request.once("error", (error) => {
    clearTimeout(timer);
    reject(
      error instanceof Problem
        ? error
        : new Problem("unavailable", `attach failed: ${error.message}`, { cause: error }),
    );
  });
  request.end();
  return promise;
}

function send(endpoint: EngineEndpoint, options: RequestOptions): ClientRequest {
  // An agent of its own would keep the connection for others; this one is taken over.
  const own = { ...options, agent: false } as const;
  switch (endpoint.kind) {
    case "unix":
      return httpRequest({ ...own, socketPath: endpoint.path });
    case "tcp": {
      const { host, port, tls } = endpoint;
      return tls === undefined ? httpRequest({ ...own, host, port }) : httpsRequest({ ...own, host, port, ...tls });
    }
    case "ssh":
      return httpRequest({ ...options, host: "docker", createConnection: () => new SshConnection(endpoint.target) });
    default:
      return exhausted(endpoint);
  }
}
