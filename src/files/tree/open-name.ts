import { constants, type BigIntStats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { descriptorPath, pathOnly } from "../judged-path.ts";
import { wayOf, type Way } from "../way-of.ts";
import { errorCode } from "../system-problem.ts";

/** An open entry of a folder, whatever it is. */
export interface OpenName {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/** The way to an entry that starts at the open folder, wherever the folder's own name leads by now. */
export function wayTo(folder: FileHandle, name: string): Way {
  return wayOf(`${descriptorPath(folder)}/${name}`);
}

/** Opens an entry without following or reading it. The caller closes the handle. @throws the system's error */
export function openName(folder: FileHandle, name: string): Promise<OpenName> {
  return openWith(folder, name, 0);
}

/** The same for a folder; undefined for anything else, a link to one included. @throws the system's error */
export async function openFolderName(folder: FileHandle, name: string): Promise<OpenName | undefined> {
  try {
    return await openWith(folder, name, constants.O_DIRECTORY);
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

async function openWith(folder: FileHandle, name: string, flags: number): Promise<OpenName> {
  const handle = await open(wayTo(folder, name), pathOnly | constants.O_NOFOLLOW | flags);
  try {
    return { handle, stats: await handle.stat({ bigint: true }) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
