/**
 * Starts of cells that a spreadsheet takes for a formula. Where its lists are separated by semicolons or tabs, a cell begins after
 * each of these, too: the quotes of RFC 4180 do not hold a text together there that has a comma before it.
 */
const formulaStart = /(^|[;\t\r\n])(["\s]*)(?=[=+\-@＝＋－＠])/g;

/** Rows as CSV (RFC 4180), with the members of the first row as header. A `'` stands before all that a spreadsheet would run. */
export function toCsv(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return lines.map((cells) => `${cells.map(toCell).join(",")}\r\n`).join("");
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = text.replaceAll(formulaStart, "$1'$2");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
