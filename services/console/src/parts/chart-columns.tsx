import { Link, useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useRef } from "react";
import type { TimeChartProps } from "./time-chart.tsx";

/** First and last column, in the order of selection. */
export type Stretch = readonly [from: number, to: number];

interface ChartColumnsProps {
  readonly chart: TimeChartProps;
  readonly textOf: (column: number) => string;
  readonly active: number | undefined;
  readonly stretch: Stretch | undefined;
  readonly onActive: (column: number | undefined) => void;
  readonly onStretch: (stretch: Stretch | undefined) => void;
}

/** A single slider, since sixty links would be sixty Tab stops; links are for the pointer. */
export function ChartColumns(props: ChartColumnsProps) {
  const { chart, textOf, onActive, stretch, onStretch } = props;
  const { columns, onZoom } = chart;
  const pressed = useRef<number>(undefined);
  const enter = (index: number) => {
    onActive(index);
    if (pressed.current === undefined || onZoom === undefined) return;
    onStretch(index === pressed.current ? undefined : [pressed.current, index]);
  };
  const leave = () => {
    pressed.current = undefined;
    onStretch(undefined);
    onActive(undefined);
  };
  const release = () => {
    pressed.current = undefined;
    if (stretch === undefined) return;
    zoomTo(chart, stretch);
    onStretch(undefined);
  };
  return (
    <>
      <div className="console-chart-columns" aria-hidden onPointerLeave={leave} onPointerUp={release}>
        {columns.map(({ label, search }, index) => (
          <Link
            key={label}
            to="/requests"
            search={search}
            tabIndex={-1}
            draggable={false}
            title={textOf(index)}
            onPointerDown={() => (pressed.current = index)}
            onPointerEnter={() => enter(index)}
          />
        ))}
      </div>
      <Slider {...props} />
    </>
  );
}

function Slider({ chart, textOf, active, stretch, onActive, onStretch }: ChartColumnsProps) {
  const { title, columns, onZoom } = chart;
  const navigate = useNavigate();
  const last = columns.length - 1;
  const current = active ?? last;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onStretch(undefined);
    if (event.key === "Enter") {
      const search = columns[current]?.search;
      if (stretch !== undefined) zoomTo(chart, stretch);
      else if (search !== undefined) void navigate({ to: "/requests", search });
      onStretch(undefined);
    }
    const step = steps[event.key];
    if (step === undefined || !event.shiftKey || onZoom === undefined) return;
    event.preventDefault();
    const to = Math.min(last, Math.max(0, current + step));
    onStretch([stretch?.[0] ?? current, to]);
    onActive(to);
  };
  const zoomHelp = onZoom === undefined ? "" : "; Shift and arrows choose a stretch to zoom to";
  return (
    <input
      className="console-chart-slider"
      type="range"
      min={0}
      max={last}
      value={current}
      aria-label={`${title} by time; Enter shows the requests${zoomHelp}`}
      aria-valuetext={stretch === undefined ? textOf(current) : stretchText(chart, stretch)}
      onChange={(event) => {
        onStretch(undefined);
        onActive(event.currentTarget.valueAsNumber);
      }}
      onKeyDown={onKeyDown}
      onFocus={() => onActive(current)}
      onBlur={() => {
        onStretch(undefined);
        onActive(undefined);
      }}
    />
  );
}

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

function endsOf({ columns }: TimeChartProps, stretch: Stretch) {
  return { first: columns[Math.min(...stretch)], last: columns[Math.max(...stretch)] };
}

function zoomTo(chart: TimeChartProps, stretch: Stretch): void {
  const { first, last } = endsOf(chart, stretch);
  const { since } = first?.search ?? {};
  const { until } = last?.search ?? {};
  if (since !== undefined && until !== undefined) chart.onZoom?.({ since, until });
}

function stretchText(chart: TimeChartProps, stretch: Stretch): string {
  const { first, last } = endsOf(chart, stretch);
  return `from ${first?.label} to ${last?.label}; Enter zooms`;
}
