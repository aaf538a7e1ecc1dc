import { Group, Paper, Text } from "@mantine/core";
import { useState } from "react";
import type { RequestSearch } from "../api/search.ts";
import { ChartColumns, type Stretch } from "./chart-columns.tsx";

export interface ChartSeries {
  readonly name: string;
  /** Style of a series, distinguishable by more than colour. */
  readonly look: "main" | "second" | "third" | "bad";
  /** One per column; null: no value. */
  readonly values: readonly (number | null)[];
}

export interface ChartColumn {
  /** Label of the period. */
  readonly label: string;
  /** Log filters for the requests of that period. */
  readonly search: RequestSearch;
}

export interface TimeChartProps {
  readonly title: string;
  readonly columns: readonly ChartColumn[];
  readonly series: readonly ChartSeries[];
  /** Bars are stacked. */
  readonly kind: "bars" | "lines";
  readonly format: (value: number) => string;
  /** Half as high, above a list. */
  readonly isLow?: boolean;
  /** Called with columns that were selected by dragging, or with Shift and the arrow keys. */
  readonly onZoom?: ZoomHandler;
}

export type ZoomHandler = (range: { readonly since: string; readonly until: string }) => void;

const heightUnits = 100;

/**
 * Numbers over time. A column links to its requests, by click or by arrow keys and Enter. A dragged range of columns zooms in,
 * where the page supports it.
 */
export function TimeChart(props: TimeChartProps) {
  const { title, columns, series, kind, format, isLow = false } = props;
  const [active, setActive] = useState<number>();
  const [stretch, setStretch] = useState<Stretch>();
  const largest = largestOf(series, kind);
  // At least 1, as a divisor.
  const top = largest || 1;
  return (
    <Paper className="console-panel" p={isLow ? "xs" : "md"} component="figure" m={0}>
      <Group justify="space-between" component="figcaption" gap="xs" mb={4}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Legend series={series} />
      </Group>
      <Text size="xs" c="dimmed" truncate>
        {active === undefined ? `up to ${format(largest)}` : columnText(props, active)}
      </Text>
      <div className="console-chart" data-low={isLow || undefined}>
        <svg viewBox={`0 0 ${columns.length} ${heightUnits}`} preserveAspectRatio="none" aria-hidden>
          {active !== undefined && (
            <rect
              className="console-chart-active"
              x={stretch === undefined ? active : Math.min(...stretch)}
              y={0}
              width={stretch === undefined ? 1 : Math.abs(stretch[1] - stretch[0]) + 1}
              height={heightUnits}
            />
          )}
          {series.map((each, index) =>
            kind === "bars" ? (
              <Bars key={each.name} series={each} below={series.slice(0, index)} top={top} />
            ) : (
              <g key={each.name} className="console-chart-line" data-look={each.look}>
                <path d={lineOf(each.values, top)} />
                <path className="console-chart-dots" d={dotsOf(each.values, top)} />
              </g>
            ),
          )}
        </svg>
        <ChartColumns
          chart={props}
          textOf={(index) => columnText(props, index)}
          {...{ active, stretch }}
          onActive={setActive}
          onStretch={setStretch}
        />
      </div>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {columns.at(0)?.label}
        </Text>
        <Text size="xs" c="dimmed">
          {columns.at(-1)?.label}
        </Text>
      </Group>
    </Paper>
  );
}

function Legend({ series }: Pick<TimeChartProps, "series">) {
  return (
    <Group gap="sm">
      {series.map(({ name, look }) => (
        <Group key={name} gap={6}>
          <span className="console-chart-key" data-look={look} />
          <Text size="xs" c="dimmed">
            {name}
          </Text>
        </Group>
      ))}
    </Group>
  );
}

interface BarsProps {
  readonly series: ChartSeries;
  readonly below: readonly ChartSeries[];
  readonly top: number;
}

const barGap = 0.1;

function Bars({ series: { look, values }, below, top }: BarsProps) {
  return values.map((value, index) => {
    if (value === null || value === 0) return null;
    const base = below.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
    const height = (value / top) * heightUnits;
    const y = heightUnits - (base / top) * heightUnits - height;
    const place = { x: index + barGap, y, width: 1 - 2 * barGap, height };
    // A column has no identity but its place.
    // oxlint-disable-next-line react/no-array-index-key
    return <rect key={index} className="console-chart-bar" data-look={look} {...place} />;
  });
}

/** Line through the centre of each column, with gaps for missing values. */
function lineOf(values: readonly (number | null)[], top: number): string {
  return values
    .map((value, index) => {
      if (value === null) return "";
      return `${(values[index - 1] ?? null) === null ? "M" : "L"}${placeOf(index, value, top)}`;
    })
    .join("");
}

/** Values without a neighbour, which the line would not show. */
function dotsOf(values: readonly (number | null)[], top: number): string {
  const isAlone = (index: number) => (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;
  return values
    .map((value, index) => (value !== null && isAlone(index) ? `M${placeOf(index, value, top)}h0.001` : ""))
    .join("");
}

function placeOf(column: number, value: number, top: number): string {
  return `${column + 0.5} ${(heightUnits - (value / top) * heightUnits).toFixed(2)}`;
}

/** The largest value of a column. */
function largestOf(series: readonly ChartSeries[], kind: TimeChartProps["kind"]): number {
  const all = series.map(({ values }) => values.map((value) => value ?? 0));
  const heights =
    kind === "lines"
      ? all.flat()
      : (all[0] ?? []).map((_, index) => all.reduce((sum, each) => sum + (each[index] ?? 0), 0));
  return Math.max(...heights, 0);
}

function columnText({ columns, series, format }: TimeChartProps, index: number): string {
  const parts = series.flatMap(({ name, values }) => {
    const value = values[index] ?? null;
    return value === null ? [] : [`${name} ${format(value)}`];
  });
  return [columns[index]?.label ?? "", ...parts].join(" · ");
}
