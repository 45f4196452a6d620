import { findRipgrep } from "../files/search/find-ripgrep.ts";
import type { Look } from "./look.ts";

/** Looks whether content can be searched on this machine. */
export async function lookAtSearch(find: () => Promise<string | undefined> = findRipgrep): Promise<Look> {
  const ripgrep = await find();
  if (ripgrep !== undefined) return { what: "search", ok: true, lines: [`content is searched by ${ripgrep}`] };
  return {
    what: "search",
    ok: false,
    lines: [
      "content cannot be searched: ripgrep is missing. `npm ci` brings it for most platforms; otherwise install the system's package ripgrep",
    ],
  };
}
