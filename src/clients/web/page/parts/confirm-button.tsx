import { useState } from "preact/hooks";

/** A button that asks once more before it does what cannot be undone. */
export function ConfirmButton({
  words,
  sure,
  busy,
  onConfirm,
}: {
  readonly words: string;
  /** What the second button says. */
  readonly sure: string;
  readonly busy: boolean;
  readonly onConfirm: () => void;
}) {
  const [asked, setAsked] = useState(false);
  if (!asked)
    return (
      <button type="button" class="plain" disabled={busy} onClick={() => setAsked(true)}>
        {words}
      </button>
    );
  return (
    <span class="confirm" role="group" aria-label={words}>
      <button
        type="button"
        class="deny"
        disabled={busy}
        onClick={() => {
          setAsked(false);
          onConfirm();
        }}
      >
        {sure}
      </button>
      <button type="button" class="plain" onClick={() => setAsked(false)}>
        Cancel
      </button>
    </span>
  );
}
