import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Below, Preview } from "../model/gate-ports.ts";
import { Problem } from "../model/problem.ts";

/**
 * Makes a preview. Where that fails, so would the request: whoever may read the place is told at once. To anybody else a failure would tell what is there, so the person is asked
 * all the same, and told that nobody could look.
 * @throws Problem of `look`.
 */
export async function lookFirst<P extends Preview>(
  place: AbsolutePath,
  below: Below,
  look: () => Promise<P>,
): Promise<P | Preview> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof Problem) || mayRead(place, below)) throw error;
    return { parts: [{ label: "note", text: `nobody could look at it: ${error.message}` }], key: "" };
  }
}

function mayRead(place: AbsolutePath, below: Below): boolean {
  try {
    return below("read", place)(place) === "allow";
  } catch {
    return false;
  }
}
