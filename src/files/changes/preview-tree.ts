import type { AbsolutePath } from "../../model/absolute-path.ts";
import type { Preview } from "../../model/gate-ports.ts";
import type { ChangeParts } from "./change-parts.ts";
import { lookThrough } from "./move-entry.ts";
import { withEntry, withPlace } from "./place.ts";

/** Names that a person is shown. */
const mostNames = 20;

/** What a person is shown of something that goes as a whole: how much it is, and the first names in it. @throws Problem as the change itself */
export async function previewTree(field: string, path: AbsolutePath, parts: ChangeParts): Promise<Preview> {
  const names: string[] = [];
  const { entries, bytes } = await withPlace(field, path, (place) =>
    withEntry(field, place, (entry) =>
      lookThrough(entry, parts, (below) => {
        if (names.length < mostNames) names.push(below.slice(path.length + 1));
      }),
    ),
  );
  const what = entries === 1 ? `one entry, ${bytes} bytes` : `${entries} files and folders, ${bytes} bytes`;
  const more = entries - 1 - names.length;
  const text = [...names.sort(), ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
  return {
    parts: [{ label: "what goes", text: what }, ...(names.length === 0 ? [] : [{ label: "with", text }])],
    key: `${entries} ${bytes}`,
  };
}
