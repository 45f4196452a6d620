import type { Effect, OpaqueCause, RunEffect } from "../../model/effect.ts";
import { entryRule } from "../blocklist/match-command.ts";
import type { BlockedRun, ShellAnalysis } from "../shell/shell-analysis.ts";
import { windowsEntry, type WindowsEntryId } from "./windows-entries.ts";

/** Gathers what a PowerShell or cmd text would do. */
export interface FoundWindows {
  readonly run: (program: string, argv: readonly string[], alias: string | undefined, dynamic: boolean) => RunEffect;
  readonly opaque: (text: string, why: string, cause: OpaqueCause) => void;
  readonly block: (entry: WindowsEntryId, effect: RunEffect) => void;
  readonly analysis: () => ShellAnalysis;
}

/** Starts an empty gathering. */
export function foundWindows(): FoundWindows {
  const effects = new Map<string, Effect>();
  const blocked = new Map<string, BlockedRun>();
  return {
    run(program, argv, alias, dynamic) {
      const text = argv.map(wordText).join(" ");
      const effect: RunEffect = {
        kind: "run",
        program,
        argv,
        text,
        ...(alias !== undefined &&
          alias !== argv[0] && { aliases: [[alias, ...argv.slice(1).map(wordText)].join(" ")] }),
        ...(dynamic && { dynamic }),
      };
      effects.set(`run ${text}`, effect);
      return effect;
    },
    opaque(text, why, cause) {
      const short = text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
      effects.set(`opaque ${cause} ${why} ${short}`, { kind: "opaque", text: short, why, cause });
    },
    block(entry, effect) {
      blocked.set(`${entry} ${effect.text}`, { rule: entryRule(windowsEntry(entry)), effect });
    },
    analysis: () => ({ effects: [...effects.values()], blocked: [...blocked.values()] }),
  };
}

/** Quoted where it would not stay one word: a form for people and rules, not for a shell. */
function wordText(word: string): string {
  return /^[^\s'"]+$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`;
}
