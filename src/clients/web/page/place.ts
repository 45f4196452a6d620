import { signal } from "@preact/signals";

/** The pages, with the words in the menu. */
export const pages = {
  questions: "Questions",
  sessions: "Sessions",
  rules: "Rules",
  audit: "Audit",
  agents: "Agents",
  health: "Health",
} as const;

/** The name of a page. */
export type PageName = keyof typeof pages;

/** Where the reader is: `#/audit/ENTRY` is the page `audit` about ENTRY. */
export interface Place {
  readonly page: PageName;
  readonly about: string;
}

/** Where the reader is now. */
export const place = signal<Place>(parse(location.hash));

/** Follows the address bar. */
export function followAddress(): void {
  addEventListener("hashchange", () => {
    place.value = parse(location.hash);
  });
}

/** The address of a page. */
export function hrefOf(page: PageName, about = ""): string {
  return about === "" ? `#/${page}` : `#/${page}/${encodeURIComponent(about)}`;
}

function parse(hash: string): Place {
  const [, name = "", about = ""] = hash.split("/");
  const page = isPage(name) ? name : "questions";
  try {
    return { page, about: decodeURIComponent(about) };
  } catch {
    return { page, about: "" };
  }
}

function isPage(name: string): name is PageName {
  return Object.hasOwn(pages, name);
}
