/** A call that failed, for the log of a run. */
export interface FailedCall {
  /** Kind and outcome. */
  readonly outcome: string;
  readonly sentAt: Date;
  readonly tookMs: number;
  /** Start of the reply, if any. */
  readonly reply: string;
}

/** Outcomes of the calls of one window. */
export class Tally {
  calls = 0;
  streams = 0;
  /** Streams that started and did not end properly. */
  brokenStreams = 0;
  /** Streams among them that ended with an error event instead of a reset. */
  toldStreams = 0;
  /** Calls in progress now, and at the time of the fault. */
  inFlight = 0;
  inFlightAtFault = 0;
  slowestMs = 0;
  /** Calls of more than a second. */
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
