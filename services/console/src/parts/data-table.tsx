import {
  createSortedRowModel,
  rowSortingFeature,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type ReactNode, useMemo } from "react";

/** A column of a table; with `sort` its header sorts the rows at hand. */
export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly sort?: (row: Row) => string | number;
  /** Numbers stand at the right. */
  readonly isEnd?: boolean;
}

export interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly selected?: string | undefined;
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric },
});

/** A plain table: the browser's own, so that screen readers know it. */
export function DataTable<Row extends object>({ label, columns, rows, rowKey, selected }: DataTableProps<Row>) {
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
  return (
    // A wide table scrolls by keyboard too, so its frame takes the focus (WCAG 2.1.1).
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="console-panel console-table-frame" aria-label={`${label}, table`} tabIndex={0}>
      <table className="console-table" aria-label={label}>
        <thead>
          <tr>
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
        <tbody>
          {table.getRowModel().rows.map(({ id, original }) => (
            <tr key={id} aria-selected={selected === undefined ? undefined : id === selected}>
              {columns.map((column) => (
                <td key={column.id} className={column.isEnd === true ? "console-end" : undefined}>
                  {column.cell(original)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
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
      {sort === undefined ? (
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
