import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A web server on the loopback that is an index for pip, a repository for apt, and a page. */
export interface PackageOrigin {
  readonly port: number;
  /** `METHOD host path` of each request. */
  readonly seen: string[];
  close(): void;
}

/** Starts it: `/simple/leafpy/` has a wheel, `/apt/` a flat repository with the package `leafdeb`, `/page` a line. */
export async function startPackageOrigin(): Promise<PackageOrigin> {
  const folder = mkdtempSync(join(tmpdir(), "sp-packages-"));
  const deb = makeDeb(folder);
  const packages = `${control}Filename: ./leafdeb.deb\nSize: ${deb.length}\nSHA256: ${sha256(deb)}\n\n`;
  const files = new Map<string, string | Buffer>([
    ["/page", "a page\n"],
    ["/simple/leafpy/", `<!doctype html><a href="/wheels/${wheelName}">${wheelName}</a>\n`],
    [`/wheels/${wheelName}`, makeWheel(folder)],
    ["/apt/./leafdeb.deb", deb],
    ["/apt/leafdeb.deb", deb],
    ["/apt/./Packages", packages],
    ["/apt/Packages", packages],
    ["/apt/./Release", release(packages)],
    ["/apt/Release", release(packages)],
  ]);
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    seen.push(`${request.method ?? ""} ${request.headers.host ?? ""} ${path}`);
    const found = files.get(path);
    if (found === undefined) response.writeHead(404).end();
    else response.writeHead(200, path.endsWith("/") ? { "content-type": "text/html" } : {}).end(found);
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

const wheelName = "leafpy-1.0-py3-none-any.whl";
const control = "Package: leafdeb\nVersion: 1.0\nArchitecture: all\nMaintainer: t <t@t.test>\nDescription: a leaf\n";

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

function makeDeb(folder: string): Buffer {
  const root = join(folder, "deb");
  mkdirSync(join(root, "DEBIAN"), { recursive: true });
  mkdirSync(join(root, "opt"));
  for (const each of [root, join(root, "DEBIAN"), join(root, "opt")]) chmodSync(each, 0o755);
  writeFileSync(join(root, "DEBIAN/control"), control);
  writeFileSync(join(root, "opt/leaf.txt"), "from the repository\n");
  execFileSync("dpkg-deb", ["--root-owner-group", "--build", root, join(folder, "leafdeb.deb")], { stdio: "ignore" });
  return readFileSync(join(folder, "leafdeb.deb"));
}

/** A wheel is a zip file with a module and three files about it. */
function makeWheel(folder: string): Buffer {
  const file = join(folder, wheelName);
  const script = `
import sys, zipfile
info = "leafpy-1.0.dist-info/"
files = {
    "leafpy.py": "text = 'from the index'\\n",
    info + "METADATA": "Metadata-Version: 2.1\\nName: leafpy\\nVersion: 1.0\\n",
    info + "WHEEL": "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
}
files[info + "RECORD"] = "".join(f"{name},,\\n" for name in [*files, info + "RECORD"])
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
`;
  execFileSync("python3", ["-c", script, file], { stdio: "pipe" });
  return readFileSync(file);
}

function release(packages: string): string {
  return `Suite: stable\nDate: Mon, 30 Nov 2026 00:00:00 UTC\nSHA256:\n ${sha256(packages)} ${Buffer.byteLength(packages)} Packages\n`;
}
