import type { LoadReport, Times } from "./load.ts";
import { quantile } from "./statistics.ts";

/** Collects the Node load generator's results, and reports them like the C one. */
export class LoadTally {
  readonly latenciesUs: number[] = [];
  readonly firstUs: number[] = [];
  readonly gapsUs: number[] = [];
  readonly errors = { status: 0, content: 0, connection: 0, timeout: 0 };
  issued = 0;
  completed = 0;
  leftEarly = 0;
  chunks = 0;
  example = "";

  fail(kind: keyof LoadReport["errors"], what: string): void {
    this.errors[kind]++;
    if (this.example === "") this.example = what.slice(0, 200);
  }

  errorCount(): number {
    return Object.values(this.errors).reduce((sum, count) => sum + count, 0);
  }

  report(seconds: number): LoadReport {
    return {
      generator: "node",
      seconds,
      issued: this.issued,
      completed: this.completed,
      leftEarly: this.leftEarly,
      chunks: this.chunks,
      errors: this.errors,
      example: this.example,
      latencyUs: toTimes(this.latenciesUs),
      firstUs: toTimes(this.firstUs),
      gapUs: toTimes(this.gapsUs),
    };
  }
}

function toTimes(us: readonly number[]): Times {
  const sorted = us.toSorted((a, b) => a - b);
  const at = (q: number) => (sorted.length === 0 ? 0 : quantile(sorted, q));
  const mean = sorted.reduce((sum, value) => sum + value, 0) / Math.max(1, sorted.length);
  return { count: sorted.length, mean, p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1) };
}
