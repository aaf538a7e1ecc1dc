import { randomUUID } from "node:crypto";
import { pause } from "@gatehouse/async";
import type { ReplicaMessages } from "@gatehouse/database";
import type { BudgetRefusal } from "../decisions/allowance.ts";
import { allowanceBounds as bounds } from "../decisions/bounds.ts";
import type { BudgetLease } from "../decisions/budget-lease.ts";
import type { Month } from "../decisions/month.ts";
import type { LeaseRefills, Refill } from "./lease-refills.ts";

type Decision = BudgetRefusal | { readonly ok: true };

interface RecallsOptions {
  readonly refills: LeaseRefills<BudgetLease>;
  /** Absent: idle money returns with the ticks of its replicas. */
  readonly messages: ReplicaMessages | undefined;
  readonly replicaId: string;
  readonly now: () => number;
  /** Returns what this replica holds idle of a budget. */
  readonly handBack: (endpointUuid: string, month: Month) => Promise<void>;
}

/** Message to the other replicas of one budget, or the answer of one of them. */
interface RecallMessage {
  readonly kind: "recall" | "answer";
  readonly id: string;
  /** Replica that recalls. */
  readonly from: string;
  readonly endpointUuid: string;
  readonly month: Month;
}

interface OpenRecall {
  /** Answers still to come. */
  missing: number;
  readonly answered: AbortController;
}

/**
 * Recalls what other replicas hold idle of a budget, for a call that would be refused although no call uses it. They return it by a
 * renewal of their leases, and answer; what their calls have reserved stays with them. A message that is lost costs the call its
 * wait, never money.
 */
export class Recalls {
  readonly #options: RecallsOptions;
  readonly #open = new Map<string, OpenRecall>();
  /** Calls that want the same budget share a recall. */
  readonly #underWay = new WeakMap<BudgetLease, Promise<void>>();
  readonly #dueAtMs = new WeakMap<BudgetLease, number>();

  constructor(options: RecallsOptions) {
    this.#options = options;
    options.messages?.hear((text) => this.#hear(text));
  }

  /**
   * Asks the ledger, and once more with what other replicas return where the call would be refused for their parts.
   * @throws as {@link LeaseRefills.untilDecided}
   */
  async untilDecided<Result extends Decision>(
    refill: Refill<BudgetLease>,
    decide: () => Result | undefined,
  ): Promise<Result> {
    const { refills } = this.#options;
    const result = await refills.untilDecided(() => [refill], decide);
    if (!this.isWanted(result, refill.lease)) return result;
    await this.#recall(refill.lease);
    return await refills.untilDecided(() => [refill], decide);
  }

  /** Whether a call is refused for what others hold, and a recall is due. */
  isWanted(result: Decision, lease: BudgetLease): boolean {
    const { messages, now } = this.#options;
    if (result.ok || result.reason !== "in_progress" || messages === undefined || lease.othersMicros <= 0) return false;
    return this.#underWay.has(lease) || now() >= (this.#dueAtMs.get(lease) ?? Number.NEGATIVE_INFINITY);
  }

  /** Resolves when all holders have answered, or after `recallWaitMs`. Never rejects. */
  async #recall(lease: BudgetLease): Promise<void> {
    let recall = this.#underWay.get(lease);
    if (recall === undefined) {
      recall = this.#send(lease).finally(() => {
        this.#underWay.delete(lease);
        this.#dueAtMs.set(lease, this.#options.now() + bounds.refusalHoldMs);
      });
      this.#underWay.set(lease, recall);
    }
    await recall;
  }

  async #send({ key: { endpointUuid, month }, holders }: BudgetLease): Promise<void> {
    if (holders === 0) return;
    const id = randomUUID();
    const recall = { missing: holders, answered: new AbortController() };
    this.#open.set(id, recall);
    void this.#tell({ kind: "recall", id, from: this.#options.replicaId, endpointUuid, month });
    await pause(bounds.recallWaitMs, recall.answered.signal);
    this.#open.delete(id);
  }

  #hear(text: string): void {
    const message = JSON.parse(text) as RecallMessage;
    const isMine = message.from === this.#options.replicaId;
    if (message.kind === "recall" && !isMine) void this.#answer(message);
    if (message.kind !== "answer" || !isMine) return;
    const recall = this.#open.get(message.id);
    if (recall === undefined) return;
    recall.missing -= 1;
    if (recall.missing === 0) recall.answered.abort();
  }

  async #answer(message: RecallMessage): Promise<void> {
    await this.#options.handBack(message.endpointUuid, message.month).catch(() => {});
    await this.#tell({ ...message, kind: "answer" });
  }

  /** A message that cannot be sent counts as lost. */
  async #tell(message: RecallMessage): Promise<void> {
    await this.#options.messages?.tell(JSON.stringify(message)).catch(() => {});
  }
}
