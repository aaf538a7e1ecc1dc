import { useMediaQuery } from "@mantine/hooks";
import { type CSSProperties, memo, type ReactNode, useEffect, useState } from "react";
import type { Column } from "./data-table.tsx";
import { type RowWindow, windowOf } from "./row-window.ts";
import { noteScroll } from "./scroll-rest.ts";

interface BodyRow<Row> {
  readonly id: string;
  readonly original: Row;
}

interface TableBodyProps<Row> {
  /** The scrolling element; null before it is mounted. */
  readonly frame: HTMLElement | null;
  readonly rows: readonly BodyRow<Row>[];
  readonly columns: readonly Column<Row>[];
  readonly selected: string | undefined;
  readonly lines: 1 | 2;
  readonly onEnd: (() => void) | undefined;
}

/** Number of rows from which a list is windowed. */
const windowedFrom = 100;
/** Fixed row heights of windowed lists, px: by lines of text in a table, or as a card on a phone. */
const rowHeights = { 1: 36, 2: 52, card: 92 } as const;
/** Widest page with cards; equal to the style sheet's. */
const phone = "(max-width: 36em)";
/** Rows before the end at which more are loaded. */
const endRows = 20;

/** Rows of a table; of a long list only those in view, between two fillers. */
export function TableBody<Row>({ frame, rows, columns, selected, lines, onEnd }: TableBodyProps<Row>) {
  const isWindowed = rows.length >= windowedFrom;
  const isPhone = useMediaQuery(phone, undefined, { getInitialValueInEffect: false });
  const rowHeight = rowHeights[isPhone ? "card" : lines];
  const seen = useRowWindow(isWindowed ? frame : null, { rowHeight, count: rows.length });
  const { first, end } = isWindowed ? seen : { first: 0, end: rows.length };
  const isAtEnd = isWindowed && end >= rows.length - endRows;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);
  return (
    <tbody data-windowed={isWindowed || undefined} style={isWindowed ? rowStyle(rowHeight, lines) : undefined}>
      <Filler height={first * rowHeight} />
      {rows.slice(first, end).map(({ id, original }, place) => (
        <BodyRowView
          key={id}
          row={original}
          index={first + place}
          columns={columns}
          isCard={isPhone || !isWindowed}
          isSelected={selected === undefined ? undefined : id === selected}
        />
      ))}
      <Filler height={(rows.length - end) * rowHeight} />
    </tbody>
  );
}

interface BodyRowViewProps<Row> {
  readonly row: Row;
  readonly index: number;
  readonly columns: readonly Column<Row>[];
  /** Whether rows are cards. */
  readonly isCard: boolean;
  /** Undefined in tables without selection. */
  readonly isSelected: boolean | undefined;
}

/** Memoised: a scrolled list renders only the rows that come into view. */
const BodyRowView = memo(function BodyRowView<Row>(props: BodyRowViewProps<Row>) {
  const { row, index, columns, isCard, isSelected } = props;
  return (
    <tr tabIndex={-1} data-row aria-rowindex={index + 2} aria-selected={isSelected}>
      {columns.map((column) => (
        // On narrow pages the header precedes its cell.
        <td
          key={column.id}
          className={column.isEnd === true ? "console-end" : undefined}
          data-header={column.header || undefined}
        >
          {isCard ? <div className="console-cell">{column.cell(row)}</div> : column.cell(row)}
        </td>
      ))}
    </tr>
  );
}) as <Row>(props: BodyRowViewProps<Row>) => ReactNode;

function Filler({ height }: { readonly height: number }) {
  return height > 0 ? <tr aria-hidden className="console-filler" style={{ height }} /> : null;
}

/** Rows in view, updated once per animation frame during scrolling and resizing. */
function useRowWindow(
  frame: HTMLElement | null,
  rows: { readonly rowHeight: number; readonly count: number },
): RowWindow {
  const [place, setPlace] = useState({ top: 0, height: 0 });
  useEffect(() => {
    if (frame === null) return undefined;
    let asked = 0;
    const look = () => {
      asked = 0;
      setPlace({ top: frame.scrollTop, height: frame.clientHeight });
    };
    const ask = () => {
      if (asked === 0) asked = requestAnimationFrame(look);
    };
    const onScroll = () => {
      noteScroll();
      ask();
    };
    const observer = new ResizeObserver(ask);
    observer.observe(frame);
    frame.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(asked);
      observer.disconnect();
      frame.removeEventListener("scroll", onScroll);
    };
  }, [frame]);
  return windowOf({ ...place, ...rows });
}

function rowStyle(height: number, lines: number): CSSProperties {
  return { "--console-row": `${height}px`, "--console-lines": lines } as CSSProperties;
}
