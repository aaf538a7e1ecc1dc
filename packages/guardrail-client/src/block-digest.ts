/** Time for which blocks of one kind are counted for one summary. */
export const digestMs = 60_000;
/** Blocks of one kind with separate events, before further ones are counted. */
export const singlesMax = 10;
const kindsMax = 10_000;

/** Reason of a block, and the message for its caller. */
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
  /** Remaining separate events. */
  singles: number;
  /** Blocks without an event so far. */
  count: number;
  last: { readonly event: Event; readonly block: GuardrailBlock } | undefined;
}

/**
 * Decides which blocked calls become audit events: for each kind (such as a token at an endpoint on one side, by detector) the
 * first ten in a minute at once, and further ones as one summary a minute, until a minute without any. So a caller cannot flood
 * the audit log and webhooks, and every block is counted.
 */
export class BlockDigest<Event> {
  readonly #wallNow: () => number;
  /** In the order of their start. */
  readonly #periods = new Map<string, Period<Event>>();

  readonly #kindOf: (event: Event) => readonly (string | number)[];

  /** @param kindOf kind of an event, apart from the detector @param wallNow Unix milliseconds */
  constructor(kindOf: (event: Event) => readonly (string | number)[], wallNow: () => number) {
    this.#kindOf = kindOf;
    this.#wallNow = wallNow;
  }

  /** Notice to send now: of this block where it is among the first of its period, else undefined. */
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

  /** Summaries of ended periods, or with `all` of current ones too; an ongoing kind is counted in a new period. */
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
