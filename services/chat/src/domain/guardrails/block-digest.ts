import type { GuardrailBlock, GuardrailEvent } from "./guardrail-record.ts";

/** How long blocks of one kind are counted before a summary stands for them. */
export const digestMs = 60_000;
const kindsMax = 10_000;

/** A block, or the last of `count` blocks of the same kind since `since` (Unix milliseconds). */
export interface BlockNotice {
  readonly event: GuardrailEvent;
  readonly block: GuardrailBlock;
  readonly count: number;
  readonly since: number | undefined;
}

interface Period {
  /** On the clock of {@link BlockDigest}. */
  readonly startedAt: number;
  count: number;
  last: { readonly event: GuardrailEvent; readonly block: GuardrailBlock } | undefined;
}

/**
 * Decides which blocked calls become audit events: the first of a token at an endpoint, by detector and side, at once; those
 * that follow as one summary a minute. So a caller cannot fill the audit log and webhooks, and nothing goes uncounted.
 */
export class BlockDigest {
  readonly #now: () => number;
  /** In the order of their start. */
  readonly #periods = new Map<string, Period>();

  /** @param now Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The notice to give now: of this block where it is the first in its period, else undefined. */
  note(event: GuardrailEvent, block: GuardrailBlock): BlockNotice | undefined {
    const { tokenId, tokenName } = event.principal;
    const key = JSON.stringify([tokenId, tokenName, event.endpointUuid, block.detector, event.side]);
    const period = this.#periods.get(key);
    if (period !== undefined) {
      period.count += 1;
      period.last = { event, block };
      return undefined;
    }
    // Beyond the bound each block is told, as without a digest.
    if (this.#periods.size < kindsMax) this.#periods.set(key, { startedAt: this.#now(), count: 0, last: undefined });
    return { event, block, count: 1, since: undefined };
  }

  /** Summaries of the periods that are over; a kind that goes on is counted in a new one. With `all`, of those that are not as well. */
  takeDue(all = false): readonly BlockNotice[] {
    const now = this.#now();
    const notices: BlockNotice[] = [];
    for (const [key, { startedAt, count, last }] of this.#periods) {
      if (!all && now - startedAt < digestMs) break;
      this.#periods.delete(key);
      if (last === undefined) continue;
      notices.push({ ...last, count, since: startedAt });
      if (!all) this.#periods.set(key, { startedAt: now, count: 0, last: undefined });
    }
    return notices;
  }
}
