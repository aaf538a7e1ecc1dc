import { randomUUID } from "node:crypto";
import { GatewayError } from "@gatehouse/errors";
import { createSerial, type Exclusively } from "@gatehouse/spill";
import type { Logger } from "@gatehouse/telemetry";
import type {
  BudgetEvent,
  Reservation,
  ReservationRequest,
  ReserveResult,
  UsageRecord,
} from "../domain/allowances/allowance.ts";
import { allowanceBounds } from "../domain/allowances/bounds.ts";
import { type BudgetAsk, BudgetLease } from "../domain/allowances/budget-lease.ts";
import type { DatabaseClock } from "../domain/allowances/database-clock.ts";
import { allowancesUnavailable } from "../domain/allowances/index.ts";
import { Calendar, type Month } from "../domain/allowances/month.ts";
import { toUsageRow, type UsageRow } from "../domain/allowances/usage-row.ts";
import type { BudgetStore, OnBudgetEvent } from "./allowances-budgets.ts";
import { type Refill, Refills } from "./allowances-refills.ts";
import type { FlushedLedger } from "./allowances-usage.ts";

interface BudgeterOptions {
  readonly store: BudgetStore;
  readonly replicaId: string;
  readonly clock: DatabaseClock;
  readonly log: Logger;
  /** Runs work that reads or writes ledgers, one piece at a time, so that answers are applied in the order they were given. */
  readonly exclusively: Exclusively;
  /** Takes the row of a settled call. */
  readonly onSettled: (row: UsageRow) => void;
  readonly onBudgetEvent: OnBudgetEvent;
}

/** What this replica knows of a reservation it made. */
interface OpenReservation {
  readonly reservation: Reservation;
  readonly lease: BudgetLease | undefined;
  readonly openedAtMs: number;
}

/** Reserves and settles calls against monthly budgets, in memory while the leases last. */
export class Budgeter {
  readonly #options: BudgeterOptions;
  readonly #clock: DatabaseClock;
  readonly #calendar = new Calendar();
  /** Of the current month, by endpoint. */
  readonly #leases = new Map<string, BudgetLease>();
  /** Of earlier months, until their last call is settled. */
  readonly #ending = new Set<BudgetLease>();
  readonly #open = new Map<string, OpenReservation>();
  /** Reservations that were given up; their calls may still be settled. */
  readonly #givenUp = new WeakMap<Reservation, BudgetLease | undefined>();
  /** Who pays for settled calls that the ledger does not have yet, by call. */
  readonly #unflushed = new Map<string, BudgetLease>();
  readonly #refills: Refills<BudgetLease>;
  /** So that many endpoints at once do not take every connection. */
  readonly #oneAtATime = createSerial();
  readonly #raising = new Map<BudgetLease, Promise<void>>();

  constructor(options: BudgeterOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#refills = new Refills({
      exchange: async (refills) => await this.#exchange(refills.map(toAsk)),
      clock: () => options.clock.local(),
    });
  }

  /** @throws GatewayError `unavailable` (the promise rejects) when the answer needs a database that is away. */
  reserve(request: ReservationRequest): ReserveResult | Promise<ReserveResult> {
    const { budgetMicros, estimateMicros } = request;
    if (!Number.isSafeInteger(estimateMicros) || estimateMicros < 0) {
      throw new RangeError("An estimate is a whole number of micro-dollars from 0.");
    }
    const month = this.#calendar.monthAt(this.#clock.now());
    if (budgetMicros === null) return { ok: true, reservation: this.#book(request, month, undefined) };
    const lease = this.#leaseOf(request, month, budgetMicros);
    return this.#tryReserve(request, lease) ?? this.#reserveSlowly(request, lease);
  }

  /**
   * Ends a reservation with what was used. @returns false when it was settled before, or released, and so nothing is done.
   */
  settle(reservation: Reservation, usage: UsageRecord): boolean {
    const open = this.#close(reservation);
    if (open === undefined) return false;
    const settled = { replicaId: this.#options.replicaId, settledAtMs: this.#clock.now() };
    const row = toUsageRow(reservation, usage, settled);
    if (open.lease !== undefined) {
      // A reservation that was given up may have outlived its lease in memory.
      const lease = this.#find(row.endpointUuid, row.month) ?? open.lease;
      lease.settle(row.costMicros);
      this.#unflushed.set(row.callId, lease);
    }
    this.#options.onSettled(row);
    return true;
  }

  /** Ends a reservation of a call that used nothing. @returns false when it had ended before. */
  release(reservation: Reservation): boolean {
    return this.#close(reservation) !== undefined;
  }

  /** Renews what is in use, hands back what is not needed, and gives up reservations that nobody ended. */
  async tick(): Promise<void> {
    const now = this.#clock.local();
    this.#giveUpOld(now);
    this.#retire();
    const leases = [...this.#leases.values(), ...this.#ending];
    const asked = leases.flatMap((lease) => {
      const ask = lease.endTick(now);
      return ask === undefined ? [] : [{ lease, ask }];
    });
    await this.#exchangeAll(asked);
    await Promise.all(leases.map(async (lease) => await this.#raiseEvents(lease)));
    for (const [key, lease] of this.#leases) if (lease.isEmpty && lease.isIdle(now)) this.#leases.delete(key);
    for (const lease of this.#ending) if (lease.isEmpty) this.#ending.delete(lease);
  }

  /** Hands back all that is not reserved; reservations of calls that never ended stay until their leases expire. */
  async stop(): Promise<void> {
    const leases = [...this.#leases.values(), ...this.#ending].filter((lease) => !lease.isEmpty);
    await this.#exchangeAll(leases.map((lease) => ({ lease, ask: lease.ask(0, 0) })));
  }

  /** The ledgers have these rows now. */
  flushed(rows: readonly UsageRow[], ledgers: readonly FlushedLedger[]): void {
    for (const { callId, costMicros } of rows) {
      this.#unflushed.get(callId)?.flush(costMicros);
      this.#unflushed.delete(callId);
    }
    for (const ledger of ledgers) {
      const lease = this.#find(ledger.endpointUuid, ledger.month);
      if (lease === undefined) continue;
      lease.update(ledger);
      void this.#raiseEvents(lease);
    }
  }

  get leaseCount(): number {
    return this.#leases.size + this.#ending.size;
  }

  get openCount(): number {
    return this.#open.size;
  }

  #tryReserve(request: ReservationRequest, lease: BudgetLease): ReserveResult | undefined {
    const decision = lease.reserve(request.estimateMicros, this.#clock.local());
    if (decision === "cold") return undefined;
    if (decision === "refused") {
      void this.#raiseEvents(lease);
      return { ok: false, spentMicros: lease.spentMicros, budgetMicros: lease.budgetMicros };
    }
    if (lease.isLow) this.#refills.refillAhead(lease);
    return { ok: true, reservation: this.#book(request, lease.key.month, lease) };
  }

  async #reserveSlowly(request: ReservationRequest, lease: BudgetLease): Promise<ReserveResult> {
    for (let attempt = 0; attempt < allowanceBounds.refillAttemptsMax; attempt++) {
      await this.#refills.refill(lease, request.estimateMicros);
      const result = this.#tryReserve(request, lease);
      if (result !== undefined) return result;
    }
    throw allowancesUnavailable();
  }

  #book(request: ReservationRequest, month: Month, lease: BudgetLease | undefined): Reservation {
    const reservation = { id: randomUUID(), request, month };
    this.#open.set(reservation.id, { reservation, lease, openedAtMs: this.#clock.local() });
    return reservation;
  }

  #close(reservation: Reservation): Pick<OpenReservation, "lease"> | undefined {
    const open = this.#open.get(reservation.id);
    if (open !== undefined) {
      this.#open.delete(reservation.id);
      open.lease?.release(reservation.request.estimateMicros);
      return open;
    }
    if (!this.#givenUp.has(reservation)) return undefined;
    const lease = this.#givenUp.get(reservation);
    this.#givenUp.delete(reservation);
    return { lease };
  }

  async #exchangeAll(asked: readonly AskedBudget[]): Promise<void> {
    for (let at = 0; at < asked.length; at += allowanceBounds.exchangeRowsMax) {
      await this.#exchange(asked.slice(at, at + allowanceBounds.exchangeRowsMax));
    }
  }

  async #exchange(asked: readonly AskedBudget[]): Promise<void> {
    await this.#options.exclusively(async () => {
      const sentMs = this.#clock.local();
      const { answers, databaseMs } = await this.#options.store.exchange(asked.map(({ ask }) => ask));
      this.#clock.observe(sentMs, databaseMs);
      const times = { sentMs, nowMs: this.#clock.local() };
      asked.forEach(({ lease, ask }, at) => {
        const answer = answers[at];
        if (answer !== undefined) lease.apply(answer, ask, times);
      });
    });
  }

  /** One at a time for a lease; what fails is due again with the next look at the lease. */
  async #raiseEvents(lease: BudgetLease): Promise<void> {
    const due = lease.dueEvents();
    if (due.length === 0) return;
    const raising = this.#raising.get(lease) ?? this.#raise(lease, due).finally(() => this.#raising.delete(lease));
    this.#raising.set(lease, raising);
    await raising;
  }

  async #raise(lease: BudgetLease, due: readonly BudgetEvent["kind"][]): Promise<void> {
    const { store, onBudgetEvent, log } = this.#options;
    const { budgetMicros, spentMicros, key } = lease;
    try {
      for (const kind of due) {
        const event = { kind, ...key, spentMicros, budgetMicros };
        await this.#oneAtATime(async () => await store.raise(event, onBudgetEvent));
        lease.markRaised(kind);
      }
    } catch (err) {
      log.warn({ err, endpoint: key.endpointUuid }, "A budget event could not be raised yet.");
    }
  }

  #giveUpOld(nowMs: number): void {
    for (const [id, { reservation, lease, openedAtMs }] of this.#open) {
      if (nowMs - openedAtMs < allowanceBounds.reservationLifeMs) return;
      this.#open.delete(id);
      lease?.release(reservation.request.estimateMicros);
      this.#givenUp.set(reservation, lease);
      this.#options.log.error({ callId: id }, "A call was never settled; its reservation was given up.");
    }
  }

  /** Sets aside the leases of months that are over. */
  #retire(): void {
    const month = this.#calendar.monthAt(this.#clock.now());
    for (const [endpointUuid, lease] of this.#leases) {
      if (lease.key.month === month) continue;
      this.#leases.delete(endpointUuid);
      this.#ending.add(lease);
    }
  }

  #find(endpointUuid: string, month: Month): BudgetLease | undefined {
    const current = this.#leases.get(endpointUuid);
    if (current?.key.month === month) return current;
    for (const lease of this.#ending) {
      if (lease.key.endpointUuid === endpointUuid && lease.key.month === month) return lease;
    }
    return undefined;
  }

  #leaseOf({ endpointUuid, projectUuid }: ReservationRequest, month: Month, budgetMicros: number): BudgetLease {
    const existing = this.#leases.get(endpointUuid);
    if (existing?.key.month === month) {
      existing.changeBudget(budgetMicros);
      return existing;
    }
    if (existing !== undefined) this.#ending.add(existing);
    if (this.#leases.size >= allowanceBounds.leasesMax) {
      throw new GatewayError("unavailable", "Too many endpoints are in use at once.", { retryAfterSeconds: 1 });
    }
    const lease = new BudgetLease({ endpointUuid, projectUuid, month }, budgetMicros, this.#clock.local());
    this.#leases.set(endpointUuid, lease);
    return lease;
  }
}

function toAsk({ lease, need }: Refill<BudgetLease>): AskedBudget {
  return { lease, ask: lease.ask(need) };
}

interface AskedBudget {
  readonly lease: BudgetLease;
  readonly ask: BudgetAsk;
}
