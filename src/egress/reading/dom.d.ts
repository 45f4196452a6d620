// Their own types want the DOM library, which no code for Node should see; this is as much of them as is used.

declare module "@mixmark-io/domino" {
  /** An element (WHATWG DOM). */
  export interface PageElement {
    readonly textContent: string;
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
    querySelectorAll(selector: string): ArrayLike<PageElement>;
    remove(): void;
  }
  export interface PageDocument {
    readonly body: PageElement | null;
    querySelectorAll(selector: string): ArrayLike<PageElement>;
  }
  /** Parses HTML as browsers do; nothing of it runs or is loaded. */
  export function createDocument(html: string): PageDocument;
}

declare module "turndown" {
  import type { PageElement } from "@mixmark-io/domino";
  export interface TurndownOptions {
    readonly headingStyle?: "setext" | "atx";
    readonly codeBlockStyle?: "indented" | "fenced";
    readonly bulletListMarker?: "-" | "+" | "*";
  }
  export default class TurndownService {
    constructor(options?: TurndownOptions);
    use(plugin: (service: TurndownService) => void): this;
    turndown(element: PageElement): string;
  }
}

declare module "@joplin/turndown-plugin-gfm" {
  import type TurndownService from "turndown";
  /** Tables, strikethrough and task lists of GitHub's Markdown. */
  export const gfm: (service: TurndownService) => void;
}
