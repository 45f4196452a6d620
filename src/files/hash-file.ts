import type { ReadAction } from "../model/action.ts";
import { Problem } from "../model/problem.ts";
import { giveBack } from "../model/roomy-bytes.ts";
import type { FileInfo } from "./file-info.ts";
import { readFile } from "./read-file.ts";

/**
 * Describes a regular file with the SHA-256 of its content.
 * @throws Problem `resource_exhausted` where it is larger than the cap, and what reading throws
 */
export async function hashFile(action: ReadAction, capBytes: number, signal: AbortSignal): Promise<FileInfo> {
  const reading = await readFile({ ...action, hash: true }, capBytes, signal);
  for await (const chunk of reading.chunks) giveBack(chunk);
  const { sha256 } = reading.end();
  if (sha256 === undefined)
    throw new Problem("resource_exhausted", `sha256: ${action.path} is larger than ${capBytes} bytes`, {
      field: "sha256",
    });
  return { ...reading.info, sha256 };
}
