import type { AbsolutePath } from "../model/absolute-path.ts";
import type { Action, ActionOf } from "../model/action.ts";
import type { By, Decision, Denial } from "../model/decision.ts";
import { exhausted } from "../model/exhausted.ts";
import type { Answer, Asker, Judge, Judgement, MakePreview, Recorder } from "../model/gate-ports.ts";
import type { SessionId } from "../model/ids.ts";
import type { Intent } from "../model/intent.ts";
import { Problem, type ProblemCode } from "../model/problem.ts";
import type { Subject } from "../model/subject.ts";
import { type Admission, admitted } from "./admission.ts";
import type { Narrator } from "./narrator.ts";
import { isSamePlan } from "./same-plan.ts";

/** The rooms behind the door. */
export interface GatePorts {
  readonly judge: Judge;
  readonly asker: Asker;
  readonly recorder: Recorder;
  readonly narrator: Narrator;
  /** What the files are that the request hands to programs, as a text that is equal where they are the same. Must not wait: it is asked between the last judgement and the permit. */
  readonly operands: (judged: { readonly decision: Decision; readonly action: Action }) => string;
  /** Takes one-time folders of a session away, before what uses them acts. Must not wait. @throws where that cannot be stored: nothing may act then. */
  readonly spend: (session: SessionId, roots: readonly AbsolutePath[]) => void;
}

/** The only door between asking and acting. */
export interface Gate {
  /**
   * Judges, settles and records a request; resolves with a permit. `preview` is asked what would change where a person is asked, and what it throws refuses the request.
   * @throws Problem `permission_denied` with a denial; `aborted` where the plan changed while a person was asked; `cancelled` where the
   * caller went away; `unavailable` where the record cannot be written; and what the judge says of bad input.
   */
  admit<I extends Intent>(
    subject: Subject,
    intent: I,
    signal: AbortSignal,
    preview?: MakePreview<I>,
  ): Promise<Admission<ActionOf<I>>>;
}

const nobodySpoke: Decision = { verdict: "deny", findings: [] };

/** Makes the gate over its ports. */
export function createGate(ports: GatePorts): Gate {
  const { recorder, narrator } = ports;

  function judge<I extends Intent>(subject: Subject, intent: I): Judgement<I> {
    try {
      return ports.judge.judge(subject, intent);
    } catch (cause) {
      if (cause instanceof Problem) throw cause;
      const denial: Denial = {
        effect: narrator.title(intent),
        ruleId: "",
        source: "default",
        because: "it could not be judged, and what cannot be judged is denied",
        missing: "",
        next: "report this: the log holds the cause",
      };
      throw refusal(subject, intent, nobodySpoke, { kind: "rule" }, denial, { cause });
    }
  }

  /** Records a refusal and says it to the caller, with the key of its entry. */
  function refusal(
    subject: Subject,
    intent: Intent,
    decision: Decision,
    by: By,
    denial: Denial,
    detail: { readonly code?: ProblemCode; readonly cause?: unknown } = {},
  ): Problem {
    const entry = recorder.refuse({ subject, intent, decision, by, verdict: "deny", denial });
    const { code = "permission_denied", cause } = detail;
    return new Problem(code, `${denial.effect}: ${denial.because}`, { denial: { ...denial, entry }, cause });
  }

  function open<I extends Intent>(subject: Subject, intent: I, judged: Judgement<I>, by: By): Admission<ActionOf<I>> {
    // Judged and spent without a wait between: of two requests one has the folder.
    if (judged.spends.length > 0) ports.spend(subject.session, judged.spends);
    const entry = recorder.open({ subject, intent, decision: judged.decision, by, verdict: "allow" });
    return admitted(judged.action, entry, recorder);
  }

  async function ask<I extends Intent>(
    subject: Subject,
    intent: I,
    judged: Judgement<I>,
    signal: AbortSignal,
    look: MakePreview<I> | undefined,
  ): Promise<Admission<ActionOf<I>>> {
    const findings = judged.settlement.kind === "ask" ? judged.settlement.open : [];
    const operands = ports.operands(judged);
    const question = {
      subject,
      intent,
      title: narrator.title(intent, judged.action),
      open: findings,
      decision: judged.decision,
      drafts: narrator.drafts(findings),
      operands,
    };
    let answer: Answer;
    try {
      const preview = await look?.(judged, signal);
      const shown =
        preview === undefined
          ? question
          : { ...question, preview: preview.parts, operands: `${operands}\n${preview.key}` };
      answer = await ports.asker.ask(shown, signal);
    } catch (cause) {
      const denial = narrator.denial(judged.decision, findings[0], "ask again");
      const because = signal.aborted
        ? "the caller went away before a person answered"
        : "the question could not be put to a person";
      const code = signal.aborted ? "cancelled" : "unavailable";
      const refused = refusal(
        subject,
        intent,
        judged.decision,
        { kind: "rule" },
        { ...denial, because },
        { code, cause },
      );
      throw cause instanceof Problem ? cause : refused;
    }
    switch (answer.kind) {
      case "deny":
      case "always-deny": {
        const denial = narrator.denial(
          judged.decision,
          findings[0],
          "do something else, or ask a person what would be acceptable",
        );
        const source = answer.by.kind === "person" ? "person" : denial.source;
        const because = answer.message === undefined || answer.message === "" ? "a person said no" : answer.message;
        throw refusal(subject, intent, judged.decision, answer.by, { ...denial, source, because });
      }
      case "allow":
      case "always-allow":
        return reopen(subject, intent, judged, operands, answer.by);
      default:
        return exhausted(answer.kind);
    }
  }

  /** Judges again what a person allowed, and admits it only where it is still the same plan. No await from here to the permit. */
  function reopen<I extends Intent>(
    subject: Subject,
    intent: I,
    judged: Judgement<I>,
    operands: string,
    by: By,
  ): Admission<ActionOf<I>> {
    const now = judge(subject, intent);
    if (now.settlement.kind === "deny") {
      const denial = narrator.denial(now.decision, now.settlement.finding, now.settlement.next);
      throw refusal(subject, intent, now.decision, now.settlement.by, denial);
    }
    const changed = !isSamePlan(judged, now)
      ? "what would happen changed while the question waited"
      : ports.operands(now) !== operands
        ? "the content of a file that it uses changed while the question waited"
        : undefined;
    if (changed !== undefined) {
      const denial = narrator.denial(now.decision, undefined, "ask again: the new plan needs its own answer");
      throw refusal(
        subject,
        intent,
        now.decision,
        { kind: "rule" },
        { ...denial, because: changed },
        { code: "aborted" },
      );
    }
    return open(subject, intent, now, by);
  }

  return {
    async admit(subject, intent, signal, preview) {
      if (signal.aborted) throw new Problem("cancelled", "the caller went away");
      const judged = judge(subject, intent);
      switch (judged.settlement.kind) {
        case "allow":
          return open(subject, intent, judged, judged.settlement.by);
        case "ask":
          return ask(subject, intent, judged, signal, preview);
        case "deny": {
          const denial = narrator.denial(judged.decision, judged.settlement.finding, judged.settlement.next);
          throw refusal(subject, intent, judged.decision, judged.settlement.by, denial);
        }
        default:
          return exhausted(judged.settlement);
      }
    },
  };
}
