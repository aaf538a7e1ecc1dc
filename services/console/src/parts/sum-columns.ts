import type { MetricSums } from "../api/types.ts";
import type { Column } from "./data-table.tsx";
import { formatCount, formatDuration, formatMoney, formatShare } from "./format.ts";

/** Columns with sums of requests, for grouped tables. Errors as a number or a share. */
export function sumColumns<Row>(sumsOf: (row: Row) => MetricSums, errors: "number" | "share"): readonly Column<Row>[] {
  const column = (
    [id, header]: readonly [id: string, header: string],
    value: (sums: MetricSums) => number,
    format: (value: number) => string,
  ): Column<Row> => ({
    id,
    header,
    isEnd: true,
    sort: (row) => value(sumsOf(row)),
    cell: (row) => format(value(sumsOf(row))),
  });
  return [
    column(["requests", "Requests"], (sums) => sums.requests, formatCount),
    errors === "number"
      ? column(["errors", "Errors"], (sums) => sums.errors, formatCount)
      : column(["errors", "Errors"], (sums) => sums.errors / sums.requests, formatShare),
    column(["p95", "p95"], (sums) => sums.p95_ms, formatDuration),
    column(["cost", "Cost"], (sums) => sums.cost_usd, formatMoney),
  ];
}
