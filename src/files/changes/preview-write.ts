import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { WriteAction } from "../../model/action.ts";
import type { DetailPart, Preview } from "../../model/gate-ports.ts";
import { Problem } from "../../model/problem.ts";
import { descriptorPath, openJudged } from "../judged-path.ts";
import { previewDiff } from "./preview-diff.ts";

/** Bytes of a file that is compared with what would be written. */
const maxCompared = 1024 * 1024;
/** Characters of a content that is shown without a comparison. */
const maxShown = 16_384;

/** The first bytes that a caller sent. */
export interface Head {
  readonly bytes: Uint8Array;
  /** False where more follows. */
  readonly whole: boolean;
}

/** What a person is shown of a write. What cannot be compared is shown as it comes; nothing here fails. */
export async function previewWrite({ path, disposition }: WriteAction, { bytes, whole }: Head): Promise<Preview> {
  const hash = createHash("sha256").update(bytes).digest("hex");
  // Of what nobody saw to its end, no two are the same.
  const key = whole ? hash : `${hash} ${randomUUID()}`;
  const now = textOf(bytes);
  if (now === undefined || !whole) return { parts: contentParts(now, bytes.length, whole), key };
  const before = await existingText(path);
  if (before === undefined)
    return { parts: [...contentParts(now, bytes.length, whole), note("what is there now is not compared")], key };
  return { parts: previewDiff(path, before, disposition === "append" ? before + now : now), key };
}

function contentParts(text: string | undefined, length: number, whole: boolean): readonly DetailPart[] {
  const shown: DetailPart =
    text === undefined
      ? note(`${length} bytes that are no UTF-8 text`)
      : { label: "content", text: text.slice(0, maxShown) };
  return [
    shown,
    ...(text !== undefined && text.length > maxShown ? [note("the content is longer: its end is not shown")] : []),
    ...(whole ? [] : [note(`more follows after these ${length} bytes, and nobody sees it here`)]),
  ];
}

function note(text: string): DetailPart {
  return { label: "note", text };
}

/** A character that was cut at the end does not make a text binary. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Empty where there is no file; undefined where it cannot be compared. */
async function existingText(path: WriteAction["path"]): Promise<string | undefined> {
  try {
    const { handle, stats } = await openJudged(path);
    try {
      if (!stats.isFile() || stats.size > maxCompared) return undefined;
      const file = await open(descriptorPath(handle), constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        return textOf(await file.readFile());
      } finally {
        await file.close();
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    return error instanceof Problem && error.code === "not_found" ? "" : undefined;
  }
}
