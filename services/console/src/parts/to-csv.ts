/**
 * Starts of cells that a spreadsheet would run as a formula. Where it separates by semicolons or tabs, cells also begin after
 * these, since the quotes of RFC 4180 do not protect them there.
 */
const formulaStart = /(^|[;\t\r\n])(["\s]*)(?=[=+\-@＝＋－＠])/g;

/** Rows as CSV (RFC 4180), with the first row's members as header. A `'` precedes everything that a spreadsheet would run. */
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
