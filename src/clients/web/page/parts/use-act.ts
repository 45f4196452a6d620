import { useState } from "preact/hooks";
import { faultWords } from "../api.ts";

/** Something that a person starts, one at a time. */
export interface Act {
  readonly busy: boolean;
  readonly fault: string | undefined;
  /** `done` is called where it went well. */
  readonly start: (act: () => Promise<unknown>, done?: () => void) => void;
}

/** Runs what a button starts, and keeps what went wrong. */
export function useAct(): Act {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>(undefined);
  return {
    busy,
    fault,
    start(act, done) {
      if (busy) return;
      setBusy(true);
      setFault(undefined);
      const run = async (): Promise<void> => {
        try {
          await act();
          done?.();
        } catch (error) {
          setFault(faultWords(error));
        } finally {
          setBusy(false);
        }
      };
      void run();
    },
  };
}
