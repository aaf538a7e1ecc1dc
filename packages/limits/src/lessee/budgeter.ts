import { ArraySet, type RunExclusively } from "@gatehouse/async";
import type { ReplicaMessages } from "@gatehouse/database";
import type { Logger } from "@gatehouse/telemetry";
import type {
  BudgetClaim,
  BudgetRefusal,
  ExtendResult,
  RefusalReason,
  Reservation,
  ReservationRequest,
  ReserveResult,
  UsageRecord,
} from "../decisions/allowance.ts";
import { allowanceBounds } from "../decisions/bounds.ts";
import type { BudgetAsk, BudgetLease } from "../decisions/budget-lease.ts";
import { Calendar, type Month } from "../decisions/month.ts";
import { type RowPlace, rowPlaces, toPresumedUsage, toUsageRow, type UsageRow } from "../decisions/usage-row.ts";
import type { BudgetStore, OnBudgetEvent } from "../ledger/budgets.ts";
import type { FlushedLedger } from "../ledger/usage-flush.ts";
import { CallIds } from "./call-ids.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { DueBudgetEvents } from "./due-budget-events.ts";
import { HandBacks } from "./hand-backs.ts";
import { LeaseRefills, type Refill } from "./lease-refills.ts";
import { type AskedBudget, LeaseTable, toAsked } from "./lease-table.ts";
import type { LedgerOutage } from "./ledger-outage.ts";
import { Recalls } from "./recalls.ts";

interface BudgeterOptions {
  readonly store: BudgetStore;
  readonly replicaId: string;
  readonly clock: DatabaseClock;
  readonly log: Logger;
  /** Runs work on ledgers one piece at a time, so that answers are applied in order. */
  readonly exclusively: RunExclusively;
  /** Receives the row of a settled call. */
  readonly onSettled: (row: UsageRow) => void;
  readonly onBudgetEvent: OnBudgetEvent;
  readonly onBudgetEventKept: () => void;
  readonly outage: LedgerOutage;
  readonly messages: ReplicaMessages | undefined;
}

/** A reservation that this replica made, with its state until its call ends. */
interface OpenReservation extends Reservation {
  readonly lease: BudgetLease | undefined;
  readonly openedAtMs: number;
  heldMicros: number;
}

/** A reservation that was settled without its call. */
interface OverdueReservation {
  readonly lease: BudgetLease | undefined;
  /** Cost at which it was settled. */
  readonly costMicros: number;
}

/** Settled cost that still counts against a lease. */
interface UnflushedCost {
  readonly lease: BudgetLease;
  readonly micros: number;
}

/** Reserves and settles calls against monthly budgets, in memory as far as the leases last. */
export class Budgeter {
  readonly #options: BudgeterOptions;
  readonly #clock: DatabaseClock;
  readonly #calendar = new Calendar();
  readonly #leases = new LeaseTable();
  readonly #ids = new CallIds();
  readonly #open = new ArraySet<OpenReservation>();
  /** Overdue reservations; their calls may still be settled, which corrects the first settlement. */
  readonly #overdue = new WeakMap<Reservation, OverdueReservation>();
  /** Costs of settled calls that are not in the ledger yet, by call and revision. */
  readonly #unflushed = new Map<string, UnflushedCost>();
  readonly #handBacks: HandBacks;
  readonly #refills: LeaseRefills<BudgetLease>;
  readonly #recalls: Recalls;
  readonly #events: DueBudgetEvents;

  constructor(options: BudgeterOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#events = new DueBudgetEvents(options);
    this.#refills = new LeaseRefills(
      async (refills) => await this.#renew(() => refills.map((refill) => this.#toAsk(refill))),
      () => options.clock.local(),
      options.outage,
    );
    this.#recalls = new Recalls({
      ...options,
      refills: this.#refills,
      now: () => options.clock.local(),
      handBack: async (endpointUuid, month) => await this.#handBackAll(endpointUuid, month),
    });
    this.#handBacks = new HandBacks({
      send: async (lease) => await this.#renew(() => toAsked(lease, lease.handBack(this.#clock.local()))),
      isKept: (lease) => this.#refills.has(lease) || options.outage.isKnown,
    });
  }

  /** @throws GatewayError `unavailable` (the promise rejects) where the database is needed and unreachable. */
  reserve(request: ReservationRequest): ReserveResult | Promise<ReserveResult> {
    const { budgetMicros } = request;
    checkClaim(request);
    if (budgetMicros === null) return this.#book(request, this.#month, undefined, 0);
    const lease = this.#leaseOf(request, budgetMicros);
    lease.changeGrace(request.ledgerGraceMs ?? 0);
    const result = this.#tryReserve(request, lease);
    return result === undefined || this.#recalls.isWanted(result, lease) ? this.#reserveSlowly(request, lease) : result;
  }

  /** Refusal of a call whose budget is known to be spent; undefined where `reserve` has to decide. Reserves nothing. */
  knownRefusal(request: ReservationRequest): BudgetRefusal | undefined {
    const { budgetMicros } = request;
    checkClaim(request);
    if (budgetMicros === null) return undefined;
    const lease = this.#leaseOf(request, budgetMicros);
    return lease.refusesAsSpent(request, this.#clock.local()) ? this.#refuse(lease, "spent") : undefined;
  }

  /**
   * Reserves more money for a call, in the month that pays for it; refuses for a call that has ended or is overdue.
   * @throws as `reserve`.
   */
  async extend(reservation: Reservation, claim: BudgetClaim): Promise<ExtendResult> {
    checkClaim(claim);
    const open = reservation as OpenReservation;
    const decide = () => this.#tryExtend(open, claim);
    const lease = this.#open.has(open) ? open.lease : undefined;
    const result = decide();
    if (lease === undefined) return result ?? (await this.#refills.untilDecided(() => [], decide));
    if (result !== undefined && !this.#recalls.isWanted(result, lease)) return result;
    return await this.#recalls.untilDecided({ lease, need: claim.estimateMicros }, decide);
  }

  #tryExtend(open: OpenReservation, claim: BudgetClaim): ExtendResult | undefined {
    const { request, lease } = open;
    // If the call ended while money was fetched for it, that money would never be released.
    if (!this.#open.has(open)) return { ...overdueRefusal, budgetMicros: request.budgetMicros ?? 0 };
    if (lease === undefined) return { ok: true, heldMicros: claim.estimateMicros };
    const decision = lease.extend(claim, this.#clock.local(), this.#isGoingOn(request));
    if (decision.kind === "cold") return undefined;
    if (decision.kind === "refused") return this.#refuse(lease, decision.reason);
    open.heldMicros += decision.micros;
    return { ok: true, heldMicros: decision.micros };
  }

  /**
   * Ends a reservation with the actual usage. An overdue one was already settled at all that it held, and is corrected.
   * @returns false without effect when it was settled or released before.
   */
  settle(reservation: Reservation, usage: UsageRecord): boolean {
    const open = this.#close(reservation);
    if (open !== undefined) {
      this.#write(reservation, usage, { lease: open.lease, countedMicros: 0 }, rowPlaces.firstAndLast);
      this.#handBacks.callEnded(open.lease);
      return true;
    }
    const overdue = this.#overdue.get(reservation);
    if (overdue === undefined) return false;
    this.#overdue.delete(reservation);
    this.#write(reservation, usage, { lease: overdue.lease, countedMicros: overdue.costMicros }, rowPlaces.correction);
    return true;
  }

  #write(
    reservation: Reservation,
    usage: UsageRecord,
    { lease: payer, countedMicros }: Payment,
    { revision, isFinal }: RowPlace,
  ): void {
    const settledAtMs = this.#clock.now();
    const row = toUsageRow(reservation, usage, {
      replicaId: this.#options.replicaId,
      settledAtMs,
      revision,
      isFinal,
    });
    if (payer !== undefined) {
      // An overdue reservation may outlive its lease in memory.
      const lease = this.#leases.find(row.endpointUuid, row.month) ?? payer;
      // A correction downwards frees money only once the ledger has it.
      const micros = Math.max(0, row.costMicros - countedMicros);
      lease.settle(micros);
      this.#unflushed.set(keyOf(row), { lease, micros });
    }
    this.#options.onSettled(row);
  }

  /** Ends a reservation of a call that used nothing; corrects an overdue one. @returns false when it had ended before. */
  release(reservation: Reservation): boolean {
    if (this.#overdue.has(reservation)) return this.settle(reservation, toPresumedUsage(reservation, 0));
    const open = this.#close(reservation);
    this.#handBacks.callEnded(open?.lease);
    return open !== undefined;
  }

  /** Renews leases in use, returns surplus, and settles overdue reservations. */
  async tick(): Promise<void> {
    const now = this.#clock.local();
    this.#settleOverdue(now);
    this.#leases.retire(this.#month);
    const leases = this.#leases.all();
    await this.#renewAll(leases, (lease) => lease.endTick(now, this.#options.outage.isWithin(lease.graceMs)));
    await Promise.all(leases.map(async (lease) => await this.#events.raise(lease)));
    this.#leases.sweep((lease) => lease.isIdle(now) && !this.#refills.has(lease));
  }

  /** Returns all that is not reserved; reservations of calls that never ended stay until their leases expire. */
  async stop(): Promise<void> {
    const leases = this.#leases.all().filter((lease) => !lease.isEmpty);
    await this.#renewAll(leases, (lease) => lease.ask(0, 0));
  }

  /** Called when the ledgers have these rows. */
  flushed(rows: readonly UsageRow[], ledgers: readonly FlushedLedger[]): void {
    // Calls without a budget are never looked up.
    for (const row of this.#unflushed.size === 0 ? [] : rows) {
      const key = keyOf(row);
      const unflushed = this.#unflushed.get(key);
      unflushed?.lease.flush(unflushed.micros);
      this.#unflushed.delete(key);
    }
    for (const ledger of ledgers) {
      const lease = this.#leases.find(ledger.endpointUuid, ledger.month);
      if (lease === undefined) continue;
      lease.update(ledger);
      void this.#events.raise(lease);
    }
  }

  get leaseCount(): number {
    return this.#leases.size;
  }

  get openCount(): number {
    return this.#open.size;
  }

  get #month(): Month {
    return this.#calendar.monthAt(this.#clock.now());
  }

  #leaseOf(request: ReservationRequest, budgetMicros: number): BudgetLease {
    return this.#leases.open(request, this.#month, budgetMicros, this.#clock.local());
  }

  #tryReserve(request: ReservationRequest, lease: BudgetLease): ReserveResult | undefined {
    const isGoingOn = this.#isGoingOn(request);
    const decision = lease.reserve(request, this.#clock.local(), isGoingOn);
    if (decision.kind === "cold") return undefined;
    if (decision.kind === "refused") return this.#refuse(lease, decision.reason);
    if (lease.isLow || isGoingOn) this.#refills.refillAhead(lease);
    return this.#book(request, lease.key.month, lease, decision.micros);
  }

  /** Whether the project may go on during the present outage of the ledger. */
  #isGoingOn({ ledgerGraceMs = 0 }: ReservationRequest): boolean {
    return this.#options.outage.isWithin(ledgerGraceMs);
  }

  #refuse(lease: BudgetLease, reason: RefusalReason): BudgetRefusal {
    void this.#events.raise(lease);
    const { spentMicros, reservedMicros, budgetMicros } = lease;
    return { ok: false, reason, spentMicros, reservedMicros, budgetMicros };
  }

  async #reserveSlowly(request: ReservationRequest, lease: BudgetLease): Promise<ReserveResult> {
    lease.beginWait();
    const refill = { lease, need: request.estimateMicros };
    try {
      return await this.#recalls.untilDecided(refill, () => this.#tryReserve(request, lease));
    } finally {
      lease.endWait();
    }
  }

  async #handBackAll(endpointUuid: string, month: Month): Promise<void> {
    const lease = this.#leases.find(endpointUuid, month);
    if (lease === undefined || this.#refills.has(lease) || this.#options.outage.isKnown) return;
    await this.#renew(() => toAsked(lease, lease.handBackAll()));
  }

  #book(request: ReservationRequest, month: Month, lease: BudgetLease | undefined, heldMicros: number): ReserveResult {
    const reservation = { id: this.#ids.next(), request, month, lease, openedAtMs: this.#clock.local(), heldMicros };
    this.#open.add(reservation);
    return { ok: true, reservation, heldMicros };
  }

  /** All reservations are made here; undefined for one that was closed before. */
  #close(reservation: Reservation): OpenReservation | undefined {
    const open = reservation as OpenReservation;
    if (!this.#open.delete(open)) return undefined;
    open.lease?.release(open.heldMicros);
    return open;
  }

  async #renewAll(leases: readonly BudgetLease[], askOf: (lease: BudgetLease) => BudgetAsk | undefined): Promise<void> {
    for (let at = 0; at < leases.length; at += allowanceBounds.renewalRowsMax) {
      const batch = leases.slice(at, at + allowanceBounds.renewalRowsMax);
      await this.#renew(() => batch.flatMap((lease) => toAsked(lease, askOf(lease))));
    }
  }

  #toAsk({ lease, need }: Refill<BudgetLease>): AskedBudget {
    return { lease, ask: lease.askAhead(need, this.#options.outage.isWithin(lease.graceMs)) };
  }

  /** Asks are made under the lock: a flush in between would count the amount in use twice, as spent and as leased. */
  async #renew(makeAsks: () => readonly AskedBudget[]): Promise<void> {
    await this.#options.exclusively(async () => {
      const asked = makeAsks();
      if (asked.length === 0) return;
      const sentMs = this.#clock.local();
      try {
        const { store, outage } = this.#options;
        const asks = asked.map(({ ask }) => ask);
        const { answers, databaseMs } = await outage.watch(async () => await store.renew(asks));
        this.#clock.observe(sentMs, databaseMs);
        const times = { sentMs, nowMs: this.#clock.local() };
        asked.forEach(({ lease, ask }, at) => {
          const answer = answers[at];
          if (answer === undefined) lease.askFailed();
          else lease.apply(answer, ask, times);
        });
      } catch (err) {
        for (const { lease } of asked) lease.askFailed();
        throw err;
      }
    });
  }

  /** Settles calls without an end for too long, at all that they hold. */
  #settleOverdue(nowMs: number): void {
    for (const reservation of this.#open.members()) {
      const { lease, openedAtMs, heldMicros } = reservation;
      if (nowMs - openedAtMs < allowanceBounds.reservationLifeMs) continue;
      this.#close(reservation);
      const presumed = toPresumedUsage(reservation, heldMicros);
      this.#write(reservation, presumed, { lease, countedMicros: 0 }, rowPlaces.correctable);
      this.#overdue.set(reservation, { lease, costMicros: heldMicros });
      this.#options.log.error(
        { call_id: reservation.id },
        `A call was not settled within ${allowanceBounds.reservationLifeMs} ms; its whole reservation counts as its cost.`,
      );
    }
  }
}

interface Payment {
  readonly lease: BudgetLease | undefined;
  /** Cost counted for an earlier revision. */
  readonly countedMicros: number;
}

/** Refusal of more money for a call that was settled as overdue. */
const overdueRefusal = { ok: false, reason: "in_progress", spentMicros: 0, reservedMicros: 0 } as const;

function checkClaim({ estimateMicros }: BudgetClaim): void {
  if (Number.isSafeInteger(estimateMicros) && estimateMicros >= 0) return;
  throw new RangeError("An estimate is a whole number of micro-dollars from 0.");
}

function keyOf({ callId, revision }: UsageRow): string {
  return `${callId} ${revision}`;
}
