import type { ShellName } from "../../src/model/intent.ts";
import { rule } from "../policy/world.ts";
import { isHarmlessTrace, startedByBash } from "./bash-oracle.ts";
import { textJudge } from "./judged-text.ts";

/** What is wrong with the decision about a text. */
export interface Fault {
  readonly kind: "crash" | "slow" | "allow" | "lost-block" | "lost-deny";
  readonly detail: string;
}

/** What looking at a text found: faults, and what its decision cost in milliseconds of processor time. */
export interface Looked {
  readonly fault: Fault | undefined;
  readonly cost: number;
}

/** Most milliseconds of processor time for one decision. */
const mostCost = 50;

/** A text of some milliseconds. */
const yardstick = Array.from({ length: 80 }, (_, at) => `cat a${at} | grep -n "x$y" src/*.ts > b${at}`).join("\n");

const blocked: Readonly<Record<ShellName, string>> = {
  bash: "sudo id",
  powershell: "Remove-Item -Recurse -Force C:\\",
  cmd: "rd /s /q C:\\",
};

/** Looks for faults. `timed: false` leaves the cost alone, for machines that are busy with other things. */
export function faultFinder({ timed }: { readonly timed: boolean }): (text: string, shell: ShellName) => Looked {
  const plain = textJudge([]);
  const ruled = textJudge([
    rule({ capability: "all", effect: "allow", match: ["*", "/**"] }),
    rule({ capability: "shell", effect: "deny", match: ["git push*"] }),
  ]);

  // What a text of the same cost took at best: a busy machine takes as many times more for both.
  let best = Number.POSITIVE_INFINITY;

  function slowdown(): number {
    const now = Math.min(...[1, 2, 3].map(() => plain(yardstick, "bash").cost));
    best = Math.min(best, now);
    return now / best;
  }

  function slowest(text: string, shell: ShellName, first: number): number {
    let least = first;
    // What the collector added is gone one of the next times; what the text itself costs is there every time.
    for (let turn = 0; turn < 8 && least > mostCost; turn += 1)
      least = Math.min(least, plain(text, shell).cost / slowdown());
    return least;
  }

  if (timed) for (let turn = 0; turn < 10; turn += 1) slowdown();

  function faultOf(text: string, shell: ShellName): Looked {
    const { judgement, cost: first } = plain(text, shell);
    const cost = slowest(text, shell, first);
    const looked = (kind: Fault["kind"], detail: string): Looked => ({ fault: { kind, detail }, cost });
    if (timed && cost > mostCost) return looked("slow", `${cost.toFixed(0)} ms`);
    if (judgement.settlement.kind === "allow") {
      if (shell !== "bash") return looked("allow", "nothing of this shell runs without a rule");
      const started = startedByBash(text)?.filter((name) => !isHarmlessTrace(name)) ?? [];
      if (started.length > 0) return looked("allow", `bash starts ${JSON.stringify(started.slice(0, 3))}`);
    }
    const before = ruled(`${blocked[shell]}\n${text}`, shell).judgement;
    if (before.settlement.kind !== "deny")
      return looked("lost-block", `${before.settlement.kind} behind ${blocked[shell]}`);
    if (!isWhole(judgement.decision.findings, text, shell)) return { fault: undefined, cost };
    const behind = ruled(`${text}\n${blocked[shell]}`, shell).judgement;
    if (behind.settlement.kind !== "deny")
      return looked("lost-block", `${behind.settlement.kind} before ${blocked[shell]}`);
    const ruledOut = ruled(`${text}\ngit push origin`, shell).judgement;
    if (ruledOut.settlement.kind !== "deny") return looked("lost-deny", `${ruledOut.settlement.kind} before git push`);
    return { fault: undefined, cost };
  }

  return (text, shell) => {
    try {
      return faultOf(text, shell);
    } catch (error) {
      return {
        fault: { kind: "crash", detail: error instanceof Error ? `${error.name}: ${error.message}` : String(error) },
        cost: 0,
      };
    }
  };
}

type Findings = ReturnType<ReturnType<typeof textJudge>>["judgement"]["decision"]["findings"];

/** True where a line behind the text is surely a command of its own: the text parses to its end, and leaves no here-document, block comment or continued line open. */
function isWhole(findings: Findings, text: string, shell: ShellName): boolean {
  // PowerShell reads on for the next item of a list.
  if (shell === "powershell" && /,\s*$/.test(text)) return false;
  return (
    !/<<|<#|@['"]|\0|[\^`]$/.test(text) &&
    !findings.some(({ effect }) => effect.kind === "opaque" && effect.cause === "syntax")
  );
}
