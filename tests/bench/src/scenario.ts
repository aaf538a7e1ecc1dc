import type { Failure, MeasureContext } from "./measure.ts";
import type { Goal, Table } from "./report.ts";
import type { Subject } from "./subject.ts";
import type { Gatehouse } from "./systems/gatehouse.ts";
import type { MockProvider } from "./systems/mock-provider.ts";

/** Environment of a scenario. Everything runs from the first scenario to the last. */
export interface Bench extends MeasureContext {
  readonly provider: MockProvider;
  /** Absent: no product to start. */
  readonly gatehouse: Gatehouse | undefined;
  /** The product as services, beside or instead of `gatehouse`; absent: not requested. */
  readonly services: Gatehouse | undefined;
  /** Services with chat and guardrail in one process; absent: not requested. */
  readonly coHosted: Gatehouse | undefined;
  /** The product of another checkout; absent: not requested. */
  readonly other: Gatehouse | undefined;
  /** Present ones among `direct`, `bare proxy`, `gatehouse`, `portkey`. */
  readonly subjects: readonly Subject[];
  /** Log folder of processes that a scenario starts itself. */
  readonly logFolder: string;
}

export interface ScenarioOutcome {
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
  /** Failures; any of a non-foreign subject fails the run. */
  readonly failures: readonly Failure[];
  /** All measurements, for the raw file. */
  readonly raw: unknown;
}

/** Outcome of a scenario that needs the product, without one. */
export const nothingMeasured: ScenarioOutcome = { tables: [], goals: [], failures: [], raw: null };

export interface Scenario {
  readonly name: string;
  /** One sentence about the measurement. */
  readonly summary: string;
  run(bench: Bench): Promise<ScenarioOutcome>;
}
