/** Time for which blocks of one kind are counted before a summary stands for them. */
export const digestMs = 60_000;
/** Blocks of one kind that have an event each, before further ones are counted. */
export const singlesMax = 10;
const kindsMax = 10_000;

/** Reason why a call was blocked, and the message for its caller. */
export interface GuardrailBlock {
  readonly detector: string;
  readonly message: string;
}

/** A block, or the last of `count` blocks of the same kind since `since` (Unix milliseconds). */
export interface BlockNotice<Event> {
  readonly event: Event;
  readonly block: GuardrailBlock;
  readonly count: number;
  readonly since: number | undefined;
}

interface Period<Event> {
  /** On the clock of {@link BlockDigest}. */
  readonly startedAt: number;
  /** Events that may still be given singly. */
  singles: number;
  /** Blocks without an event so far. */
  count: number;
  last: { readonly event: Event; readonly block: GuardrailBlock } | undefined;
}

/**
 * Decides which blocked calls become audit events: the first ten of a kind in a minute, such as a token at an endpoint on one side, by
 * detector, each at once; those that follow as one summary a minute, until a minute has passed without any. So a caller cannot fill the
 * audit log and webhooks, and nothing goes uncounted.
 */
export class BlockDigest<Event> {
  readonly #wallNow: () => number;
  /** In the order of their start. */
  readonly #periods = new Map<string, Period<Event>>();

  readonly #kindOf: (event: Event) => readonly (string | number)[];

  /**
   * @param kindOf What is counted together, beside the detector.
   * @param wallNow Unix milliseconds.
   */
  constructor(kindOf: (event: Event) => readonly (string | number)[], wallNow: () => number) {
    this.#kindOf = kindOf;
    this.#wallNow = wallNow;
  }

  /** The notice to give now: of this block where it is among the first in its period, else undefined. */
  record(event: Event, block: GuardrailBlock): BlockNotice<Event> | undefined {
    const key = JSON.stringify([...this.#kindOf(event), block.detector]);
    const period = this.#periods.get(key);
    if (period !== undefined && period.singles === 0) {
      period.count += 1;
      period.last = { event, block };
      return undefined;
    }
    if (period !== undefined) period.singles -= 1;
    // Beyond the bound each block is recorded, as without a digest.
    else if (this.#periods.size < kindsMax) this.#periods.set(key, this.#begin(singlesMax - 1));
    return { event, block, count: 1, since: undefined };
  }

  /** Summaries of the periods that are over; a kind that goes on is counted in a new one. With `all`, of those that are not as well. */
  takeDue(all = false): readonly BlockNotice<Event>[] {
    const nowMs = this.#wallNow();
    const notices: BlockNotice<Event>[] = [];
    for (const [key, { startedAt, count, last }] of this.#periods) {
      if (!all && nowMs - startedAt < digestMs) break;
      this.#periods.delete(key);
      if (last === undefined) continue;
      notices.push({ ...last, count, since: startedAt });
      if (!all) this.#periods.set(key, this.#begin(0));
    }
    return notices;
  }

  #begin(singles: number): Period<Event> {
    return { startedAt: this.#wallNow(), singles, count: 0, last: undefined };
  }
}
