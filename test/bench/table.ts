export type Cell = string | number;

/** A table as plain text: the first column left-aligned, the others right-aligned. */
export function textTable(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = [header, ...rows.map((row) => row.map(String))];
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const rightward = header.map((_, column) => column > 0 && rows.every((row) => isFigure(row[column])));
  const lines = cells.map((row) =>
    row
      .map((cell, column) =>
        rightward[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return lines.toSpliced(1, 0, widths.map((width) => '-'.repeat(width)).join('  ')).join('\n');
}

/** The same as Markdown, with `texts` left-aligned columns. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  texts: number,
): string {
  const rule = header.map((_, column) => (column < texts ? '---' : '---:'));
  return [header, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const isFigure = (cell: Cell | undefined) => cell === undefined || /^[\d.,]*( →.*)?$/.test(String(cell));

/** A number like `12,345.7` with the given decimals. */
export function figure(value: number, decimals = 0): string {
  return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}
