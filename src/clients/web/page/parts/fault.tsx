/** What went wrong, said at once by screen readers; nothing where nothing did. */
export function Fault({ text, wide = false }: { readonly text: string | undefined; readonly wide?: boolean }) {
  if (text === undefined) return null;
  return (
    <p class={wide ? "fault wide" : "fault"} role="alert">
      {text}
    </p>
  );
}
