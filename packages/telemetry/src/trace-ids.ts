import { randomBytes } from "node:crypto";
import type { IdGenerator } from "@opentelemetry/sdk-trace-base";

const traceIdDigits = 32;
const spanIdDigits = 16;
/** Random bytes drawn at once, since each call is expensive. */
const poolBytes = 4_096;

/** Ids of traces and spans; the next trace can be given the id that its sampling was decided by. */
export class TraceIds implements IdGenerator {
  #pool = "";
  #at = 0;
  #nextTraceId: string | undefined;

  /** @param traceId of the next root span */
  decide(traceId: string): void {
    this.#nextTraceId = traceId;
  }

  generateTraceId(): string {
    const traceId = this.#nextTraceId ?? this.#take(traceIdDigits);
    this.#nextTraceId = undefined;
    return traceId;
  }

  generateSpanId(): string {
    return this.#take(spanIdDigits);
  }

  #take(digits: number): string {
    if (this.#at + digits > this.#pool.length) {
      this.#pool = randomBytes(poolBytes).toString("hex");
      this.#at = 0;
    }
    this.#at += digits;
    return this.#pool.slice(this.#at - digits, this.#at);
  }
}
