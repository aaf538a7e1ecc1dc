import type { Failure, MeasureContext } from "./measure.ts";
import type { Goal, Table } from "./report.ts";
import type { Subject } from "./subject.ts";
import type { Gatehouse } from "./systems/gatehouse.ts";
import type { MockProvider } from "./systems/mock-provider.ts";

/** Environment of a scenario. Everything is up before the first scenario and stays up until the last has ended. */
export interface Bench extends MeasureContext {
  readonly provider: MockProvider;
  /** Absent while there is no product to start. */
  readonly gatehouse: Gatehouse | undefined;
  /** The product as services, beside `gatehouse` or in its place; absent where it was not asked for. */
  readonly services: Gatehouse | undefined;
  /** Services of which chat and guardrail share a process; absent where they were not asked for. */
  readonly coHosted: Gatehouse | undefined;
  /** `direct`, `bare proxy`, `gatehouse`, `portkey`: those that are there. */
  readonly subjects: readonly Subject[];
  /** Log folder of processes that a scenario starts itself. */
  readonly logFolder: string;
}

export interface ScenarioOutcome {
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
  /** Failures; any that is not foreign makes the run fail. */
  readonly failures: readonly Failure[];
  /** Everything measured, for the raw file. */
  readonly raw: unknown;
}

/** Outcome of a scenario that needs the product, where there is none. */
export const nothingMeasured: ScenarioOutcome = { tables: [], goals: [], failures: [], raw: null };

export interface Scenario {
  readonly name: string;
  /** One sentence: what it measures. */
  readonly summary: string;
  run(bench: Bench): Promise<ScenarioOutcome>;
}
