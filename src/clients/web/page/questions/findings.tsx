import { type Finding, Verdict } from "../../../../gen/sallyport/v1/common_pb.ts";
import { effectWords, ruleWords } from "../../../text/words.ts";
import { ShownLine } from "../parts/shown-text.tsx";
import { VerdictChip } from "../parts/verdict.tsx";

/** What needs the answer before what is allowed anyway. */
function needyFirst(findings: readonly Finding[]): readonly Finding[] {
  const allowed = (finding: Finding): number => (finding.verdict === Verdict.ALLOW ? 1 : 0);
  return findings.toSorted((a, b) => allowed(a) - allowed(b));
}

/** Why it is asked: each effect with the rule or the default that spoke. */
export function Findings({
  findings,
  heading = "Why you are asked",
}: {
  readonly findings: readonly Finding[];
  readonly heading?: string;
}) {
  if (findings.length === 0) return null;
  return (
    <section class="findings" aria-label={heading}>
      <h3>{heading}</h3>
      <ul>
        {needyFirst(findings).map(({ effect, verdict, because, rules }, index) => (
          <li key={index}>
            <VerdictChip verdict={verdict} />
            <div>
              <code>
                <ShownLine text={effectWords(effect)} />
              </code>
              <span class="quiet">
                {" "}
                <ShownLine text={because} />
              </span>
              {rules.map((rule) => (
                <p class="quiet" key={rule.id}>
                  <ShownLine text={ruleWords(rule)} />
                </p>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
