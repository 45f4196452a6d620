import { resolve } from "node:path";
import { InvalidArgumentError, Option, type Command } from "commander";
import { Access, type Lasts, LastsSchema } from "../../gen/sallyport/v1/common_pb.ts";
import { parseDuration } from "../text/duration.ts";
import { enumValue, enumWords } from "../text/words.ts";

/** A folder and what may be done in it. */
export interface Folder {
  readonly root: string;
  readonly access: Access;
}

/** How long folders are granted. */
export interface LastingOptions {
  readonly lasts?: string;
  readonly expires?: string;
}

/** Adds how long a folder is granted. */
export function addLastingOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--lasts <how>", "once: for the next command that uses it; always: for later sessions, too")
        .choices(enumWords(LastsSchema))
        .default("session"),
    )
    .option("--expires <when>", "the end at the latest: a time (RFC 3339), or 30m, 2h from now", expiry);
}

/** The fields of the API for these options. */
export function lasting(options: LastingOptions): { readonly lasts: Lasts; readonly expiresAt: string } {
  return { lasts: enumValue(LastsSchema, options.lasts), expiresAt: options.expires ?? "" };
}

/** Reads `folder[:ro|:rw]` and puts it behind the ones before. */
export function collectFolder(text: string, before: readonly Folder[] = []): Folder[] {
  const found = /^(.+?)(?::(ro|rw))?$/s.exec(text);
  if (found?.[1] === undefined)
    throw new InvalidArgumentError("It must be a folder, with :rw where it may be written.");
  const access = found[2] === "rw" ? Access.READ_WRITE : Access.READ_ONLY;
  return [...before, { root: resolve(found[1]), access }];
}

/** A moment: the server reads it strictly, so only durations are looked at here. */
function expiry(text: string): string {
  const ms = parseDuration(text);
  return ms === undefined ? text : new Date(Date.now() + ms).toISOString();
}
