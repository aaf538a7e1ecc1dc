import type { Call } from "./call.ts";
import type { ProcessGroup } from "./process-usage.ts";

/** Something that answers chat calls and is measured. Several may live in one process, such as one endpoint with policies and one without. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  /** Whose CPU is counted; absent where nothing stands between the client and the provider. */
  readonly group?: ProcessGroup | undefined;
  /** A comparison with another project's program: that it fails is noted, but does not fail the run. */
  readonly isForeign?: boolean;
  /** Makes ready for a kind of call and returns the request to send. Asking again costs nothing. */
  prepare(call: Call): Promise<Buffer>;
}

/** A system that this run started. */
export interface StartedSystem {
  /** Name and version of the system that was started. */
  readonly description: string;
  readonly subject: Subject;
  readonly stop: () => Promise<void>;
}
