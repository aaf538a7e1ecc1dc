/** A call that failed, for the log of a run. */
export interface FailedCall {
  /** Kind and outcome. */
  readonly outcome: string;
  readonly sentAt: Date;
  readonly tookMs: number;
  /** Beginning of the reply, where there was one. */
  readonly reply: string;
}

/** Outcomes of the calls of one window. */
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
  readonly failedCalls: FailedCall[] = [];

  get failed(): number {
    return [...this.failures.values()].reduce((sum, count) => sum + count, 0);
  }

  fail(call: FailedCall): void {
    this.failures.set(call.outcome, (this.failures.get(call.outcome) ?? 0) + 1);
    this.failedCalls.push({ ...call, reply: call.reply.slice(0, replyCharsMax) });
  }

  took(ms: number): void {
    this.slowestMs = Math.max(this.slowestMs, ms);
    if (ms > slowMs) this.slow += 1;
  }
}

const slowMs = 1_000;
const replyCharsMax = 400;
