import { isGatewayError } from "@gatehouse/errors";
import { outsideOfSpans } from "./current-span.ts";

/** Time for which further lines of one failure are only counted. */
const quietMs = 1_000;
/** Failures counted at a time; lines of others are written directly. */
const failuresMax = 256;
/** Characters of an error's message that distinguish failures. */
const messageLengthMax = 200;

/** Log fields with an error, by whose name, code and message repeated lines are recognised. */
export interface FailureFields {
  readonly err: unknown;
}

type Write = (fields: object) => void;

interface Counted {
  count: number;
  write: (repeated: number) => void;
}

/**
 * Limits the log lines of each failure to one a second: the first at once, then the newest of each second, with the number of
 * lines as `repeated`. An outage would otherwise log two stacks for every call.
 */
export class RepeatedFailures {
  readonly #counted = new Map<string, Counted>();

  /** @param where logger, level and message, by which lines are counted separately */
  log(where: string, fields: FailureFields, write: Write): void {
    const key = `${where} ${nameOf(fields.err)}`;
    const known = this.#counted.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.write = (repeated) => write({ ...fields, repeated });
      return;
    }
    write(fields);
    if (this.#counted.size >= failuresMax) return;
    const counted: Counted = { count: 0, write: () => {} };
    this.#counted.set(key, counted);
    // Later lines belong to other calls, which may have no trace.
    outsideOfSpans(() => this.#writeEachSecond(key, counted));
  }

  #writeEachSecond(key: string, counted: Counted): void {
    const timer = setInterval(() => {
      if (counted.count === 0) {
        clearInterval(timer);
        this.#counted.delete(key);
        return;
      }
      counted.write(counted.count);
      counted.count = 0;
    }, quietMs);
    timer.unref();
  }

  get size(): number {
    return this.#counted.size;
  }
}

function nameOf(err: unknown): string {
  if (!(err instanceof Error)) return typeof err;
  const code = isGatewayError(err) ? err.code : "";
  return `${err.name} ${code} ${err.message.slice(0, messageLengthMax)}`;
}
