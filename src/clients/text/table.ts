/** Lines of a table: columns two blanks apart, padded to their widest cell; the columns named in `right` are aligned to the right. */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, width(cell))));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const padding = " ".repeat((widths[column] ?? 0) - width(cell));
        return right.includes(column) ? padding + cell : cell + padding;
      })
      .join("  ")
      .trimEnd(),
  );
}

/** Lines of `name  value` pairs; pairs with an empty value are left out. */
export function fields(pairs: readonly (readonly [string, string])[], indent = "  "): string[] {
  return table(pairs.filter(([, value]) => value !== "")).map((line) => indent + line);
}

function width(text: string): number {
  return Array.from(text).length;
}
