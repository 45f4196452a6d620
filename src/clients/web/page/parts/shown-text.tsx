import type { DetailLine } from "./detail-parts.ts";
import { countWords, fold } from "./fold.ts";
import { type Span, textPieces } from "./text-pieces.ts";

/** What hostile text is shown with. */
interface ShownTextProps {
  readonly lines: readonly DetailLine[];
  readonly marks: readonly Span[];
  readonly open: boolean;
  readonly onOpen: () => void;
}

/** A text of several lines, whole or folded with its size stated. */
export function ShownText({ lines, marks, open, onOpen }: ShownTextProps) {
  const { shown, hiddenLines, hiddenCharacters } = fold(lines);
  const folded = hiddenLines > 0 && !open;
  return (
    <div class="text">
      <pre dir="ltr">
        {(folded ? shown : lines).map((line, index) => (
          <div class="line" key={index}>
            <ShownLine text={line.text} start={line.start} marks={marks} />
          </div>
        ))}
      </pre>
      {folded && (
        <button type="button" class="unfold" onClick={onOpen}>
          Show the rest: {countWords(hiddenLines, "more line", "more lines")},{" "}
          {countWords(hiddenCharacters, "character", "characters")}
        </button>
      )}
    </div>
  );
}

/** One line of hostile text; nothing in it is markup, moves anything or is drawn as nothing. */
export function ShownLine({
  text,
  start = 0,
  marks = [],
}: {
  readonly text: string;
  readonly start?: number;
  readonly marks?: readonly Span[];
}) {
  const pieces = textPieces(text, start, marks);
  if (pieces.length === 0) return <span class="empty" aria-label="empty line" />;
  return (
    <bdi dir="ltr">
      {pieces.map(({ kind, text: shown, marked }, index) => {
        const body = kind === "plain" ? shown : <span class={kind}>{shown}</span>;
        return marked ? <mark key={index}>{body}</mark> : <span key={index}>{body}</span>;
      })}
    </bdi>
  );
}
