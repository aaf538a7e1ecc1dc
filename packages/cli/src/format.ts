import { isJsonObject, type JsonObject } from "@gatehouse/json";

const cellLengthMax = 60;

/**
 * A padded table with headings; long cells are cut; `None.` without rows. A column may be nested: `state.health`. Without
 * columns, shows the first row's members.
 */
export function formatTable(rows: readonly JsonObject[], wanted: readonly string[]): string {
  if (rows.length === 0) return "None.";
  const columns = wanted.length === 0 ? Object.keys(rows[0] ?? {}) : wanted;
  const cells = rows.map((row) => columns.map((column) => cut(formatValue(pick(row, column)))));
  const headings = columns.map((column) => (column.split(".").at(-1) ?? "").replaceAll("_", " ").toUpperCase());
  const lines = [headings, ...cells];
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, line[index]?.length ?? 0), 0),
  );
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One member per line, with aligned names. */
export function formatObject(object: JsonObject): string {
  const entries = Object.entries(object);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${formatValue(value)}`).join("\n");
}

function pick(row: JsonObject, column: string): unknown {
  return column.split(".").reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), row);
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((member) => typeof member === "string")) return value.join(",");
  return JSON.stringify(value);
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= cellLengthMax ? line : `${line.slice(0, cellLengthMax - 1)}…`;
}
