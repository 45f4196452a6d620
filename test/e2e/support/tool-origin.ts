import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A web server on the loopback with what usual tools fetch: a page, a git repository, an npm package, a WebSocket's greeting, a stream. */
export interface ToolOrigin {
  readonly port: number;
  /** `METHOD host path` of each request. */
  readonly seen: string[];
  close(): void;
}

/** Starts it. The repository is served as plain files, as `git update-server-info` makes them. */
export async function startToolOrigin(): Promise<ToolOrigin> {
  const folder = mkdtempSync(join(tmpdir(), "sp-origin-"));
  makeRepository(folder);
  const tarball = makePackage(folder);
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method ?? ""} ${request.headers.host ?? ""} ${request.url ?? ""}`);
    serve(request, response, folder, tarball);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    close() {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function makeRepository(folder: string): void {
  const work = join(folder, "work");
  mkdirSync(work);
  writeFileSync(join(work, "hello.txt"), "hello from git\n");
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: work, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "first");
  execFileSync("git", ["clone", "-q", "--bare", work, join(folder, "repo.git")], { stdio: "ignore" });
  execFileSync("git", ["update-server-info"], { cwd: join(folder, "repo.git") });
}

function makePackage(folder: string): Buffer {
  const work = join(folder, "package");
  mkdirSync(work);
  writeFileSync(join(work, "package.json"), JSON.stringify({ name: "leaf", version: "1.2.3", main: "index.js" }));
  writeFileSync(join(work, "index.js"), "module.exports = 'from the registry';\n");
  execFileSync("tar", ["-czf", "leaf.tgz", "package"], { cwd: folder });
  return readFileSync(join(folder, "leaf.tgz"));
}

function serve(request: IncomingMessage, response: ServerResponse, folder: string, tarball: Buffer): void {
  const path = (request.url ?? "").split("?")[0] ?? "";
  const base = `http://${request.headers.host ?? ""}`;
  if (path === "/page") response.end("a page\n");
  else if (path === "/leaf") response.end(JSON.stringify(packument(base, tarball)));
  else if (path === "/leaf/-/leaf-1.2.3.tgz") response.end(tarball);
  else if (path.startsWith("/repo.git/") && !path.includes("..")) sendFile(response, join(folder, path));
  else response.writeHead(404).end();
}

function packument(base: string, tarball: Buffer): object {
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const version = {
    name: "leaf",
    version: "1.2.3",
    main: "index.js",
    dist: { tarball: `${base}/leaf/-/leaf-1.2.3.tgz`, integrity },
  };
  return { name: "leaf", "dist-tags": { latest: "1.2.3" }, versions: { "1.2.3": version } };
}

function sendFile(response: ServerResponse, path: string): void {
  try {
    if (!statSync(path).isFile()) throw new Error("no file");
    response.end(readFileSync(path));
  } catch {
    response.writeHead(404).end();
  }
}
