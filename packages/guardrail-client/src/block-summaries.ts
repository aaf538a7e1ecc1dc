import { BlockDigest, type BlockNotice, type GuardrailBlock } from "./block-digest.ts";

const checkMs = 5_000;

/** Options of {@link BlockSummaries}: the grouping of blocked calls, and the destination of their notices. */
export interface BlockSummariesOptions<Event> {
  /** Kind of an event, apart from the detector. */
  readonly kindOf: (event: Event) => readonly (string | number)[];
  /** Writes a notice to the audit log. Must not reject. */
  readonly report: (notice: BlockNotice<Event>) => Promise<void>;
  /** Unix milliseconds. */
  readonly wallNow: () => number;
}

/** Writes blocked calls to the audit log: single ones at once, many as a summary a minute. */
export class BlockSummaries<Event> {
  readonly #digest: BlockDigest<Event>;
  readonly #report: BlockSummariesOptions<Event>["report"];
  #timer: NodeJS.Timeout | undefined;

  constructor({ kindOf, report, wallNow }: BlockSummariesOptions<Event>) {
    this.#digest = new BlockDigest(kindOf, wallNow);
    this.#report = report;
  }

  /** Resolves when the event is stored, where the block is recorded separately. */
  async record(event: Event, block: GuardrailBlock): Promise<void> {
    this.#timer ??= setInterval(() => void this.#reportAll(this.#digest.takeDue()), checkMs).unref();
    const notice = this.#digest.record(event, block);
    if (notice !== undefined) await this.#report(notice);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reportAll(this.#digest.takeDue(true));
  }

  async #reportAll(notices: readonly BlockNotice<Event>[]): Promise<void> {
    await Promise.all(notices.map(async (notice) => await this.#report(notice)));
  }
}
