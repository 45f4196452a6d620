import { type DestinationStream, type Logger, pino } from "pino";
import type { Redactor } from "../secrets/redactor.ts";
import type { Settings } from "../config/load-settings.ts";

/** Makes the log: JSON Lines, every line passed through the redactor. `file` undefined: standard error. */
export function createLog(level: Settings["logLevel"], redactor: Redactor, file: string | undefined): Logger {
  const destination: DestinationStream = pino.destination(
    file === undefined ? { dest: 2, sync: true } : { dest: file, sync: true, mode: 0o600 },
  );
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => redactor.redact(line) },
    },
    destination,
  );
}
