import type { Finding } from "../../../../gen/sallyport/v1/common_pb.ts";
import { effectWords, ruleWords } from "../../../text/words.ts";
import { ShownLine } from "../parts/shown-text.tsx";
import { VerdictChip } from "../parts/verdict.tsx";

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
        {findings.map(({ effect, verdict, because, rules }, index) => (
          <li key={index}>
            <VerdictChip verdict={verdict} />
            <div>
              <code>
                <ShownLine text={effectWords(effect)} />
              </code>
              <p class="quiet">
                <ShownLine text={because} />
              </p>
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
