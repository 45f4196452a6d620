import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { AbsolutePath } from "../model/absolute-path.ts";
import { exhausted } from "../model/exhausted.ts";
import type { FileVersion } from "../model/intent.ts";
import { Problem } from "../model/problem.ts";
import { infoOf } from "./file-info.ts";
import { descriptorPath, type JudgedPath } from "./judged-path.ts";

/** @throws Problem `aborted` where the file is not what its writer took it for */
export async function assertVersion(file: JudgedPath, version: FileVersion, signal: AbortSignal): Promise<void> {
  switch (version.kind) {
    case "modified":
      if (infoOf(file.path, file.stats).modifiedAt !== version.at)
        throw changedFrom(file.path, "it was changed at another time");
      return;
    case "sha256":
      if ((await hashOf(file, signal)) !== version.hex) throw changedFrom(file.path, "its content is another one");
      return;
    default:
      exhausted(version);
  }
}

/** The file is not the one that a write was made for. */
export function changedFrom(path: AbsolutePath, reason: string): Problem {
  return new Problem("aborted", `if_match: ${path}: ${reason}`, { field: "if_match" });
}

async function hashOf(file: JudgedPath, signal: AbortSignal): Promise<string> {
  const handle = await open(descriptorPath(file.handle), constants.O_RDONLY | constants.O_NONBLOCK);
  const hash = createHash("sha256");
  try {
    const buffer = Buffer.allocUnsafeSlow(1 << 20);
    for (let at = 0; ;) {
      if (signal.aborted) throw new Problem("cancelled", "the caller went away", { cause: signal.reason });
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) return hash.digest("hex");
      hash.update(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}
