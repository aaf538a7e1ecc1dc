import { BlockDigest, type BlockNotice, type GuardrailBlock } from "./block-digest.ts";

/** Interval between checks for summaries that are due. */
const checkMs = 5_000;

/** Grouping and destination of notices about blocked calls. */
export interface BlockSummariesOptions<Event> {
  /** Key of events that are counted together, beside the detector. */
  readonly kindOf: (event: Event) => readonly (string | number)[];
  /** Puts a notice into the audit log. Must not reject. */
  readonly report: (notice: BlockNotice<Event>) => Promise<void>;
  /** Unix milliseconds. */
  readonly wallNow: () => number;
}

/** Puts blocked calls into the audit log: single ones at once, many as a summary a minute. */
export class BlockSummaries<Event> {
  readonly #digest: BlockDigest<Event>;
  readonly #report: BlockSummariesOptions<Event>["report"];
  #timer: NodeJS.Timeout | undefined;

  constructor({ kindOf, report, wallNow }: BlockSummariesOptions<Event>) {
    this.#digest = new BlockDigest(kindOf, wallNow);
    this.#report = report;
  }

  /** Resolves when the event is kept, where the block is recorded singly. */
  async record(event: Event, block: GuardrailBlock): Promise<void> {
    this.#timer ??= setInterval(() => void this.#reportAll(this.#digest.takeDue()), checkMs).unref();
    const notice = this.#digest.record(event, block);
    if (notice !== undefined) await this.#report(notice);
  }

  /** Reports what has been counted so far. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reportAll(this.#digest.takeDue(true));
  }

  async #reportAll(notices: readonly BlockNotice<Event>[]): Promise<void> {
    await Promise.all(notices.map(async (notice) => await this.#report(notice)));
  }
}
