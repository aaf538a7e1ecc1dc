import type { Call } from "./call.ts";
import type { ProcessGroup } from "./process-usage.ts";

/** A measured system that answers chat calls. Several may share a process, such as endpoints with and without policies. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  /** Processes whose CPU is counted; absent: a direct call of the provider. */
  readonly group?: ProcessGroup | undefined;
  /** Another project's program, whose failure does not fail the run. */
  readonly isForeign?: boolean;
  /** Prepares a kind of call and returns the request to send. Repeatable at no cost. */
  prepare(call: Call): Promise<Buffer>;
}

/** A system that this run started. */
export interface StartedSystem {
  /** Name and version of the system that was started. */
  readonly description: string;
  readonly subject: Subject;
  readonly stop: () => Promise<void>;
}
