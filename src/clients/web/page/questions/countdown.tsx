import { clockWords, now } from "../parts/now.ts";

const urgentMs = 30_000;

/** How long an answer counts; silence is a denial. */
export function Countdown({ deadline }: { readonly deadline: string }) {
  const leftMs = new Date(deadline).getTime() - now.value;
  if (Number.isNaN(leftMs)) return null;
  return (
    <p class={leftMs < urgentMs ? "countdown urgent" : "countdown"} title="Silence is a denial">
      <span class="quiet">denied in </span>
      <time>{clockWords(leftMs)}</time>
    </p>
  );
}
