/** Lines for the person at the terminal of `serve --approve`, where the log goes to a file. */
export interface Notices {
  /** Hands a line on, or keeps it until somebody listens. */
  say(line: string): void;
  /** Everything that was said before, then each further line. */
  listen(show: (line: string) => void): void;
}

/** Lines that are kept while nobody listens; the oldest go first. */
const mostKept = 100;

/** Makes notices that nobody listens to yet. */
export function createNotices(): Notices {
  const kept: string[] = [];
  let shown: ((line: string) => void) | undefined;
  return {
    say(line) {
      if (shown !== undefined) return shown(line);
      kept.push(line);
      if (kept.length > mostKept) kept.shift();
    },
    listen(show) {
      shown = show;
      for (const line of kept.splice(0)) show(line);
    },
  };
}
