import { existsSync, readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { join } from "node:path";
import { exhausted } from "../model/exhausted.ts";
import { Problem } from "../model/problem.ts";
import { parseSshTarget, type SshTarget } from "./ssh-target.ts";

/** Where a container engine listens. */
export type EngineEndpoint =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number; readonly tls: EngineTls | undefined }
  | { readonly kind: "ssh"; readonly target: SshTarget };

/** Client certificate for an engine over TCP, PEM. */
export interface EngineTls {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

const installHint =
  "install Docker (Debian and Ubuntu: apt-get install docker.io) or Podman and start it, or name its socket in the configuration or in DOCKER_HOST";

/**
 * Reads an engine's address in the form of DOCKER_HOST (`unix://PATH`, `tcp://HOST:PORT`, `ssh://[USER@]HOST[:PORT]`); without one, looks in the usual places, of one engine where it is named.
 * @throws Problem `failed_precondition` where there is none, `invalid_argument` where the address cannot be used safely.
 */
export function resolveEngine(
  host: string | undefined,
  certFolder: string | undefined,
  runtimeDir: string | undefined,
  engine?: "docker" | "podman",
  sshProgram = "ssh",
): EngineEndpoint {
  if (host === undefined || host === "") return discover(runtimeDir, engine);
  if (host.startsWith("unix://")) return { kind: "unix", path: host.slice("unix://".length) };
  if (host.startsWith("ssh://")) {
    const target = parseSshTarget(host, sshProgram);
    if (engine === "podman")
      throw new Problem("invalid_argument", `engine at ${target.host}: Podman is not reached by ssh, only Docker is`);
    return { kind: "ssh", target };
  }
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (url?.protocol !== "tcp:" || url.hostname === "")
    throw new Problem("invalid_argument", `engine address ${host}: only unix://, tcp:// and ssh:// are understood`);
  const tls = certFolder === undefined ? undefined : readTls(certFolder);
  if (tls === undefined && !isLoopback(url.hostname))
    throw new Problem(
      "invalid_argument",
      `engine address ${host}: without TLS whoever is on the network owns the engine; set DOCKER_CERT_PATH`,
    );
  return {
    kind: "tcp",
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? 2376 : Number(url.port),
    tls,
  };
}

/** What to tell a user whose engine does not answer. */
export function noEngine(endpoint: EngineEndpoint, code: string | undefined): Problem {
  const where = placeOf(endpoint);
  if (code === "EACCES")
    return new Problem(
      "failed_precondition",
      `no permission for the container engine at ${where}: add the user to the socket's group, often "docker"`,
    );
  return new Problem(
    "failed_precondition",
    `no container engine answers at ${where} (${code ?? "unknown"}): no sandbox, no exec; ${installHint}`,
  );
}

function placeOf(endpoint: EngineEndpoint): string {
  switch (endpoint.kind) {
    case "unix":
      return endpoint.path;
    case "tcp":
      return `${endpoint.host}:${endpoint.port}`;
    case "ssh":
      return `ssh://${endpoint.target.host}`;
    default:
      return exhausted(endpoint);
  }
}

const sockets = { docker: ["docker.sock"], podman: ["podman/podman.sock"] } as const;

function discover(runtimeDir: string | undefined, engine: "docker" | "podman" | undefined): EngineEndpoint {
  const names = engine === undefined ? [...sockets.docker, ...sockets.podman] : sockets[engine];
  const folders = ["/run", "/var/run", ...(runtimeDir === undefined ? [] : [runtimeDir])];
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const path = candidates.find((candidate) => existsSync(candidate));
  if (path === undefined)
    throw new Problem(
      "failed_precondition",
      engine === "podman"
        ? "Podman's socket was not found: install it and start its service (systemctl --user enable --now podman.socket)"
        : `no container engine was found: no sandbox, no exec; ${installHint}`,
    );
  return { kind: "unix", path };
}

function readTls(folder: string): EngineTls {
  const read = (name: string): Buffer => {
    try {
      return readFileSync(join(folder, name));
    } catch (cause) {
      throw new Problem("failed_precondition", `DOCKER_CERT_PATH: ${name} cannot be read in ${folder}`, { cause });
    }
  };
  return { ca: read("ca.pem"), cert: read("cert.pem"), key: read("key.pem") };
}

function isLoopback(host: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  return host === "localhost" || host === "[::1]" || loopback.check(host);
}
