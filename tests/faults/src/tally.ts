/** How the calls of one window ended. */
export class Tally {
  calls = 0;
  streams = 0;
  /** Streams that began and did not come to their end. */
  brokenStreams = 0;
  /** Streams that ended with an error event instead of a reset, of those. */
  toldStreams = 0;
  /** Calls that are under way now, and that were when the fault was made. */
  inFlight = 0;
  inFlightAtFault = 0;
  slowestMs = 0;
  /** Calls that took longer than a second. */
  slow = 0;
  /** Failed calls by kind and outcome. */
  readonly failures = new Map<string, number>();

  get failed(): number {
    return [...this.failures.values()].reduce((sum, count) => sum + count, 0);
  }

  fail(outcome: string): void {
    this.failures.set(outcome, (this.failures.get(outcome) ?? 0) + 1);
  }

  took(ms: number): void {
    this.slowestMs = Math.max(this.slowestMs, ms);
    if (ms > slowMs) this.slow += 1;
  }
}

const slowMs = 1_000;
