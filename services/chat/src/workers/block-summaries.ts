import type { NewAuditEvent } from "@gatehouse/audit";
import { BlockDigest, type BlockNotice } from "../domain/guardrails/block-digest.ts";
import type { GuardrailBlock, GuardrailEvent } from "../domain/guardrails/guardrail-record.ts";
import { guardrailBlocked } from "../events.ts";

/** How often it is looked for summaries that are due. */
const checkMs = 5_000;

export interface BlockSummariesOptions {
  /** Keeps an audit event. */
  readonly add: (event: NewAuditEvent) => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Puts blocked calls into the audit log: single ones at once, many as a summary a minute. */
export class BlockSummaries {
  readonly #digest: BlockDigest;
  readonly #add: BlockSummariesOptions["add"];
  #timer: NodeJS.Timeout | undefined;

  constructor({ add, now }: BlockSummariesOptions) {
    this.#digest = new BlockDigest(now);
    this.#add = add;
  }

  /** Resolves when the event is kept, where the block is one that is told by itself. */
  async note(event: GuardrailEvent, block: GuardrailBlock): Promise<void> {
    this.#timer ??= setInterval(() => void this.#tell(this.#digest.takeDue()), checkMs).unref();
    const notice = this.#digest.note(event, block);
    if (notice !== undefined) await this.#add(toEvent(notice));
  }

  /** Tells what has been counted so far. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#tell(this.#digest.takeDue(true));
  }

  async #tell(notices: readonly BlockNotice[]): Promise<void> {
    await Promise.all(notices.map(async (notice) => await this.#add(toEvent(notice))));
  }
}

function toEvent({ event, block, count, since }: BlockNotice): NewAuditEvent {
  const { endpointUuid: uuid, slug, ...call } = event;
  return guardrailBlocked({ ...call, ...block, endpoint: { uuid, slug }, count, since });
}
