import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { type AbsolutePath, parentOf, parseAbsolutePath } from "../model/absolute-path.ts";
import type { Facts } from "../model/facts.ts";
import { type AddressRules, internalHost } from "../egress/address-rules.ts";
import { folderEntries } from "../files/folder-entries.ts";
import { factsLocate } from "../files/locate.ts";
import type { Places } from "./places.ts";

/** What analysis may know of this machine; `more`: further folders of Sallyport's own. */
export function createFacts(
  { home, state, config, runtime }: Places,
  rules: AddressRules,
  more: readonly AbsolutePath[] = [],
): Facts {
  const homes = readHomes();
  return {
    locate: factsLocate,
    entries: folderEntries,
    home,
    homes: [...new Set([home, ...homes.values()])].filter((path) => path.lastIndexOf("/") > 0 || path === "/root"),
    user: userInfo().username,
    homeOf: (user) => homes.get(user),
    internalHost: (host, port) => internalHost(host, port, rules),
    // The machine's rules as well: where Sallyport runs as root, the file service could write them.
    own: [state, config.folder, runtime, ...new Set(config.managed.map(parentOf)), ...more],
  };
}

/** Homes of the people of this machine, by name (passwd(5)); service users, whose homes are system folders, are left out. */
function readHomes(): ReadonlyMap<string, AbsolutePath> {
  const homes = new Map<string, AbsolutePath>();
  for (const line of readPasswd().split("\n")) {
    const [name, , uid, , , folder] = line.split(":");
    const path = parseAbsolutePath(folder ?? "");
    const number = Number(uid);
    if (name !== undefined && path !== undefined && (number === 0 || (number >= 1000 && number < 65_534)))
      homes.set(name, path);
  }
  return homes;
}

function readPasswd(): string {
  try {
    return readFileSync("/etc/passwd", "utf8");
  } catch {
    // A minimal image may have none; then no name has a home, and `~name` is unknown to the analysis.
    return "";
  }
}
