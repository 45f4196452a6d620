/** Cuts a line into pieces of at most `columns` cells, blanks kept. Every character outside ASCII counts as two cells, so that no piece is ever too wide. */
export function wrap(line: string, columns: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const character of line) {
    const cells = character > "~" ? 2 : 1;
    if (used + cells > Math.max(columns, 2)) {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += character;
    used += cells;
  }
  return [...pieces, piece];
}
