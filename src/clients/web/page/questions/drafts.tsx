import type { Question, RuleDraft, RulesFile } from "../../../../gen/sallyport/v1/approvals_pb.ts";
import { ShownLine } from "../parts/shown-text.tsx";
import { VerdictChip } from "../parts/verdict.tsx";

/** The exact rules that an "always" would write, and where. */
export function Drafts({
  heading,
  question,
  drafts,
  file,
}: {
  readonly heading: string;
  readonly question: Question;
  readonly drafts: readonly RuleDraft[];
  readonly file: RulesFile;
}) {
  if (drafts.length === 0) return null;
  const path = question.places.find((place) => place.file === file)?.path ?? question.places[0]?.path;
  return (
    <div class="drafts">
      <p class="quiet">
        {heading} {path === undefined ? "your permissions file" : <ShownLine text={path} />}:
      </p>
      <ul>
        {drafts.map(({ effect, capability, match }, index) => (
          <li key={index}>
            <VerdictChip verdict={effect} />{" "}
            <code>
              <ShownLine text={`${capability} ${match}`} />
            </code>
          </li>
        ))}
      </ul>
    </div>
  );
}
