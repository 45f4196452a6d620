import { type Rule, RuleSource } from "../../../../gen/sallyport/v1/common_pb.ts";
import { api } from "../api.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { ShownLine } from "../parts/shown-text.tsx";
import { useAct } from "../parts/use-act.ts";
import { VerdictChip } from "../parts/verdict.tsx";
import { Fault } from "../parts/fault.tsx";

const removable: ReadonlySet<RuleSource> = new Set([RuleSource.USER, RuleSource.WORKSPACE, RuleSource.SESSION]);

/** One rule, with where it is kept and a way to take it away. */
export function RuleRow({
  rule,
  sessionId,
  onChange,
}: {
  readonly rule: Rule;
  readonly sessionId: string;
  readonly onChange: () => void;
}) {
  const { busy, fault, start } = useAct();
  const { id, source, capability, match, exclude, methods, effect, because, origin } = rule;
  return (
    <li>
      <VerdictChip verdict={effect} />
      <div class="grow">
        <code>
          <ShownLine text={[capability, methods.join(" or "), match.join("  ")].filter(Boolean).join(" ")} />
        </code>
        {exclude.length > 0 && (
          <p class="quiet">
            but not{" "}
            <code>
              <ShownLine text={exclude.join("  ")} />
            </code>
          </p>
        )}
        <p class="quiet">
          <ShownLine text={[because, id, origin].filter(Boolean).join(" · ")} />
        </p>
        <Fault text={fault} />
      </div>
      {removable.has(source) && (
        <ConfirmButton
          words="Remove"
          sure="Remove this rule"
          busy={busy}
          onConfirm={() => start(() => api.policy.removeRule({ sessionId, source, ruleId: id }), onChange)}
        />
      )}
    </li>
  );
}
