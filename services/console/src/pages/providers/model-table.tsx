import { Stack, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { MetricSums } from "../../api/types.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { sumColumns } from "../../parts/sum-columns.ts";
import { useSumsBy } from "./use-sums-by.ts";

interface ModelRow {
  readonly model: string;
  readonly sums: MetricSums;
}

const columns: readonly Column<ModelRow>[] = [
  { id: "model", header: "Model", sort: ({ model }) => model, cell: ({ model }) => <ModelLink model={model} /> },
  ...sumColumns<ModelRow>(({ sums }) => sums, "share"),
];

/** Models called in the last day, the busiest first; nothing without calls. */
export function ModelTable() {
  const rows = [...useSumsBy("model")].map(([model, sums]) => ({ model, sums }));
  if (rows.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={2}>Models in the last day</Title>
      <DataTable label="Models" columns={columns} rows={rows} rowKey={({ model }) => model} />
    </Stack>
  );
}

function ModelLink({ model }: Pick<ModelRow, "model">) {
  return (
    <Link to="/requests" search={{ model, hours: 24 }} className="console-link">
      {model}
    </Link>
  );
}
