import { createDocument, type PageElement } from "@mixmark-io/domino";
import { gfm } from "@joplin/turndown-plugin-gfm";
import TurndownService from "turndown";

/** What nobody reads on a page, or what is no text. */
const unread =
  "script, style, noscript, template, iframe, object, embed, svg, canvas, audio, video, link, meta, dialog:not([open])";
/** Elements that a person may not see. Text that only a machine reads is how pages talk to models behind their users' backs. */
const suspects = "[hidden], [aria-hidden], [style]";
const hiddenStyle =
  /(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:font-size|opacity)\s*:\s*0(?:\.0*)?(?:\s*(?:px|em|rem|pt|%))?\s*(?:;|!|$))/i;

/**
 * Turns HTML into Markdown: what a person would see, with absolute links, and the title as the heading where there is no other. For a process of its own kind: it takes time and memory that
 * grow with the page, and throws where the page is nested too deep.
 */
export function pageToMarkdown(html: string, baseUrl: string): string {
  const document = createDocument(html);
  const title = (document.querySelectorAll("title")[0]?.textContent ?? "").replace(/\s+/g, " ").trim();
  for (const element of Array.from(document.querySelectorAll(unread))) element.remove();
  for (const element of Array.from(document.querySelectorAll(suspects))) if (isUnseen(element)) element.remove();
  for (const link of Array.from(document.querySelectorAll("a[href]"))) setUrl(link, "href", baseUrl);
  for (const image of Array.from(document.querySelectorAll("img"))) setUrl(image, "src", baseUrl);
  const { body } = document;
  if (body === null) return "";
  const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  service.use(gfm);
  const text = service.turndown(body).trim();
  return title === "" || body.querySelectorAll("h1").length > 0 ? `${text}\n` : `# ${title}\n\n${text}\n`;
}

/** By its own attributes; what a style sheet hides is not known here. */
function isUnseen(element: PageElement): boolean {
  return (
    element.getAttribute("hidden") !== null ||
    element.getAttribute("aria-hidden") === "true" ||
    hiddenStyle.test(element.getAttribute("style") ?? "")
  );
}

/** Makes an address absolute; one that is not http or https goes, for it is no text and leads nowhere. */
function setUrl(element: PageElement, name: "href" | "src", baseUrl: string): void {
  const url = URL.parse(element.getAttribute(name) ?? "", baseUrl);
  if (url?.protocol === "http:" || url?.protocol === "https:") element.setAttribute(name, url.href);
  else if (name === "src") element.remove();
  else element.removeAttribute(name);
}
