import { useLayoutEffect, useRef } from "preact/hooks";

/** What each key does; undefined: nothing. */
export type KeyActions = Readonly<Record<string, (() => void) | undefined>>;

/** Listens to single keys while `active`, unless somebody types or holds a modifier. A key that is held down counts once. */
export function useAnswerKeys(active: boolean, actions: KeyActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  // Together with what is drawn: after it, a key pressed at once would still speak to the card that was outlined before.
  useLayoutEffect(() => {
    if (!active) return undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest("input, textarea, select") !== null) return;
      const act = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [active]);
}
