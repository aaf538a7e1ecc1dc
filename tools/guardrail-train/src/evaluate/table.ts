/** Table of a report; each row has as many cells as the header. */
export interface Table {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Share in percent with `digits` decimals, without the sign; `-` where the whole is 0. */
export function percent(part: number, whole: number, digits = 1): string {
  return whole === 0 ? "-" : ((100 * part) / whole).toFixed(digits);
}

/** Table as text for a terminal: the first column aligned to the left, the others to the right. */
export function formatTable({ title, header, rows }: Table): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const format = (line: readonly string[]): string =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  return `\n${title}\n${lines.map(format).join("\n")}\n`;
}
