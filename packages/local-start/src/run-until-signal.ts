import { guardProcess, type ProcessEnd } from "@gatehouse/service";
import { progress } from "./greeting.ts";
import { StartedResources } from "./started-resources.ts";

/** A product on this machine, from its start to the signal that ends it. */
export interface LocalRun extends Omit<ProcessEnd, "end"> {
  /** Opens one resource after the other, so that a signal or a failure ends what is open so far. */
  readonly start: (opened: StartedResources) => Promise<void>;
  /** The failure of a start in words for people, or as it came. */
  readonly explain: (err: unknown) => unknown;
}

/**
 * Starts, and ends everything that was opened, in reverse, at the first signal, also while it starts.
 * @throws what `explain` makes of a failed start, after everything that was opened has ended
 */
export async function runUntilSignal(process: NodeJS.Process, { start, explain, ...guard }: LocalRun): Promise<void> {
  const opened = new StartedResources();
  const starting = start(opened);
  guardProcess(process, {
    ...guard,
    async end() {
      progress("Stopping: requests in flight are finished first.");
      opened.endStart();
      await starting.catch(() => undefined);
      await opened.end();
    },
  });
  try {
    await starting;
  } catch (err) {
    // The signal's handler ends what was opened, and the process.
    if (opened.isEnding) return;
    // Connections are closed before Postgres ends, which would be an error on each of them otherwise.
    await opened.end().catch(() => undefined);
    throw explain(err);
  }
}
