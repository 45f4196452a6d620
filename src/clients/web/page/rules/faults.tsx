import type { RuleFault } from "../../../../gen/sallyport/v1/policy_pb.ts";
import { ShownLine } from "../parts/shown-text.tsx";

/** What is wrong with rule files. */
export function Faults({ faults }: { readonly faults: readonly RuleFault[] }) {
  if (faults.length === 0) return null;
  return (
    <section class="warning" role="alert">
      <p>
        <strong>Rule files are broken.</strong> The rules that were good before still hold.
      </p>
      <ul>
        {faults.map(({ file, line, column, message }, index) => (
          <li key={index}>
            <code>
              <ShownLine text={line === 0 ? file : `${file}:${line}:${column}`} />
            </code>{" "}
            <ShownLine text={message} />
          </li>
        ))}
      </ul>
    </section>
  );
}
