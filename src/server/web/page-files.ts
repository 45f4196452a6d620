import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import type { IncomingMessage, ServerResponse } from "node:http";

/** One file of the page. */
interface PageFile {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
  /** Its name changes with its content. */
  readonly named: boolean;
}

/** The files of the page, by their path with `/` in front. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Reads the built page into memory; what has another ending is left out. Empty where it was not built. */
export function loadPage(folder: string): PageFiles {
  const files = new Map<string, PageFile>();
  let entries;
  try {
    entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    return files;
  }
  for (const entry of entries) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
    const name = `/${relative(folder, path)}`;
    files.set(name, { bytes, type, etag, named: name.startsWith("/assets/") });
  }
  return files;
}

/** Answers a GET for a file of the page; `/` is its document. */
export function servePage(files: PageFiles, request: IncomingMessage, response: ServerResponse): void {
  const [path = ""] = (request.url ?? "").split("?", 1);
  const file = files.get(path === "/" ? "/index.html" : path);
  if (file === undefined) {
    response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("there is nothing here\n");
    return;
  }
  response.setHeader("etag", file.etag);
  response.setHeader("cache-control", file.named ? "private, max-age=31536000, immutable" : "no-cache");
  if (request.headers["if-none-match"] === file.etag) {
    response.writeHead(304).end();
    return;
  }
  response.writeHead(200, { "content-type": file.type, "content-length": file.bytes.length });
  response.end(request.method === "HEAD" ? undefined : file.bytes);
}
