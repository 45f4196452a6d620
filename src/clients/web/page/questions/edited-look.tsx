import type { TryEditResponse } from "../../../../gen/sallyport/v1/approvals_pb.ts";
import { detailParts } from "../parts/detail-parts.ts";
import { ShownLine, ShownText } from "../parts/shown-text.tsx";
import { Findings } from "./findings.tsx";

/** What an edited command would do: whole, nothing folded. */
export function EditedLook({ look }: { readonly look: TryEditResponse }) {
  return (
    <div class="look" role="status">
      <h3>
        <ShownLine text={look.title} />
      </h3>
      {look.suspicious && (
        <p class="warning">
          <strong>Look twice.</strong> It holds characters that are hidden or look like others.
        </p>
      )}
      <dl class="parts">
        {detailParts(look.detail).map(({ label, lines }, index) => (
          <div class="part" key={index}>
            <dt>
              <ShownLine text={label} />
            </dt>
            <dd>
              <ShownText lines={lines} marks={look.marks} open onOpen={() => undefined} />
            </dd>
          </div>
        ))}
      </dl>
      {look.findings.length === 0 ? (
        <p class="quiet">Nothing in it needs an answer.</p>
      ) : (
        <Findings findings={look.findings} heading="What your answer settles" />
      )}
    </div>
  );
}
