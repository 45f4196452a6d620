import { useCallback, useEffect, useState } from "preact/hooks";
import { faultWords } from "../api.ts";

/** What was last read, what is wrong, and how to read again at once. */
export interface Refreshed<T> {
  readonly value: T | undefined;
  readonly fault: string | undefined;
  readonly refresh: () => void;
}

/** Reads now and then again every `everyMs` milliseconds, while somebody looks. `read` must be the same function as long as it reads the same. */
export function useRefreshed<T>(read: (signal: AbortSignal) => Promise<T>, everyMs: number): Refreshed<T> {
  const [value, setValue] = useState<T | undefined>(undefined);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    let timer: number | undefined;
    const again = async (): Promise<void> => {
      if (document.visibilityState === "visible")
        try {
          const found = await read(stop.signal);
          if (stop.signal.aborted) return;
          setValue(found);
          setFault(undefined);
        } catch (error) {
          if (stop.signal.aborted) return;
          setFault(faultWords(error));
        }
      timer = setTimeout(() => void again(), everyMs);
    };
    void again();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [read, everyMs, turn]);
  return { value, fault, refresh: useCallback(() => setTurn((count) => count + 1), []) };
}
