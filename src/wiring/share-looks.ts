import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Facts, Located } from "../model/facts.ts";

/**
 * The same facts, but each path is looked at once for all that is asked in one go, without a wait: a judgement asks several times where its folder lies, and must not see two worlds.
 * For those who only look; whoever changes files between two questions would be told what was.
 */
export function shareLooks(facts: Facts): Facts {
  const looks = new Map<AbsolutePath, Located>();
  return {
    ...facts,
    locate(path) {
      const known = looks.get(path);
      if (known !== undefined) return known;
      if (looks.size === 0) queueMicrotask(() => looks.clear());
      const located = facts.locate(path);
      looks.set(path, located);
      return located;
    },
  };
}
