import { guardProcess, type ProcessEnd } from "@gatehouse/service";
import { progress } from "./greeting.ts";
import { StartedResources } from "./started-resources.ts";

/** A product on this machine, from its start to the signal that ends it. */
export interface LocalRun extends Omit<ProcessEnd, "end"> {
  /** Opens resources in sequence, so that a signal or a failure ends those opened so far. */
  readonly start: (opened: StartedResources) => Promise<void>;
  /** Converts the failure of a start to a message for people, or returns it unchanged. */
  readonly explain: (err: unknown) => unknown;
}

/**
 * Starts; at the first signal, even during the start, ends everything that was opened, in reverse.
 * @throws result of `explain` for a failed start, after everything that was opened has ended
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
    // The signal handler closes what was opened, and exits.
    if (opened.isEnding) return;
    // Connections are closed before Postgres ends, since each would otherwise report an error.
    await opened.end().catch(() => undefined);
    throw explain(err);
  }
}
