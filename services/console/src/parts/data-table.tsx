import { Stack, VisuallyHidden } from "@mantine/core";
import {
  createSortedRowModel,
  rowSortingFeature,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type ReactNode, useMemo, useState } from "react";
import { FindField, matches } from "./find-field.tsx";
import { TableBody } from "./table-body.tsx";
import { moveByKey } from "./table-keys.ts";

/** A column; with `sort` its header sorts the loaded rows. */
export interface Column<Row> {
  readonly id: string;
  /** Empty above buttons. */
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly sort?: (row: Row) => string | number;
  /** Aligned right, for numbers. */
  readonly isEnd?: boolean;
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly selected?: string | undefined;
  /** Lines of text in a row of a long list; default 1. */
  readonly lines?: 1 | 2 | undefined;
  /** Called when the last rows come into view. */
  readonly onEnd?: (() => void) | undefined;
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric },
});

/** Number of rows from which the list can be searched. */
const findFrom = 12;

/**
 * A native table, for screen readers. j, k and the arrows move between rows, Enter opens one. Long lists render only the rows in
 * view.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, columns, rowKey, selected, lines = 1, onEnd } = props;
  const [frame, setFrame] = useState<HTMLElement | null>(null);
  const [sought, setSought] = useState("");
  const rows = useMemo(() => matching(props.rows, columns, sought), [props.rows, columns, sought]);
  const definitions = useMemo(
    () =>
      columns.map(({ id, sort }) => ({
        id,
        accessorFn: (row: Row) => sort?.(row) ?? "",
        enableSorting: sort !== undefined,
        sortFn: "alphanumeric" as const,
      })),
    [columns],
  );
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({ features, columns: definitions, data, getRowId: rowKey });
  const cells = new Map(columns.map((column) => [column.id, column]));
  const canFind = props.rows.length >= findFrom && columns.some(({ sort }) => sort !== undefined);
  return (
    <Stack gap="xs">
      {canFind && <FindField label={label} value={sought} onChange={setSought} found={rows.length} />}
      {/* Focusable, so that a wide table scrolls by keyboard (WCAG 2.1.1). */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <section
        ref={setFrame}
        className="console-panel console-table-frame"
        aria-label={`${label}, table`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onKeyDown={moveByKey}
      >
        <table className="console-table" aria-label={label} aria-rowcount={rows.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {table.getFlatHeaders().map(({ id, column }) => (
                <HeaderCell
                  key={id}
                  definition={cells.get(id)}
                  sorted={column.getIsSorted()}
                  onSort={() => column.toggleSorting()}
                />
              ))}
            </tr>
          </thead>
          <TableBody
            frame={frame}
            rows={table.getRowModel().rows}
            columns={columns}
            selected={selected}
            lines={lines}
            onEnd={onEnd}
          />
        </table>
      </section>
    </Stack>
  );
}

/** Rows whose sort values contain all searched words. */
function matching<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sought: string): readonly Row[] {
  if (sought === "") return rows;
  const texts = columns.flatMap(({ sort }) => (sort === undefined ? [] : [sort]));
  return rows.filter((row) => matches(sought, texts.map((text) => text(row)).join(" "))); // prettier-ignore
}

interface HeaderCellProps {
  readonly definition: Pick<Column<never>, "header" | "sort" | "isEnd"> | undefined;
  readonly sorted: false | "asc" | "desc";
  readonly onSort: () => void;
}

function HeaderCell({ definition, sorted, onSort }: HeaderCellProps) {
  if (definition === undefined) return null;
  const { header, sort, isEnd } = definition;
  const order = sorted === false ? undefined : ({ asc: "ascending", desc: "descending" } as const)[sorted];
  const sign = sorted === false ? "" : { asc: " ↑", desc: " ↓" }[sorted];
  return (
    <th scope="col" aria-sort={order} className={isEnd === true ? "console-end" : undefined}>
      {header === "" ? (
        <VisuallyHidden>Actions</VisuallyHidden>
      ) : sort === undefined ? (
        header
      ) : (
        <button type="button" onClick={onSort}>
          {header}
          {sign}
        </button>
      )}
    </th>
  );
}
