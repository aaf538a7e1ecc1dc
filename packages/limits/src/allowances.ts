import { randomUUID } from "node:crypto";
import { createMutex } from "@gatehouse/async";
import type { Database, ReplicaMessages } from "@gatehouse/database";
import type { TokenPrincipal } from "@gatehouse/principal";
import { SpillFolder } from "@gatehouse/spill";
import type { Logger } from "@gatehouse/telemetry";
import type {
  Admission,
  BudgetClaim,
  ExtendResult,
  Reservation,
  ReservationRequest,
  ReserveResult,
  UsageQuery,
  UsageRecord,
  UsageReport,
  UserUsageReport,
} from "./decisions/allowance.ts";
import { allowanceBounds as bounds } from "./decisions/bounds.ts";
import { allowancesUnavailable } from "./decisions/index.ts";
import { KnownUsers, type UserName } from "./decisions/known-users.ts";
import { type Month, monthOf, monthsBefore } from "./decisions/month.ts";
import type { WindowAsk } from "./decisions/window-lease.ts";
import { createBudgetStore, type OnBudgetEvent } from "./ledger/budgets.ts";
import { databaseNow, poolStatements } from "./ledger/statements.ts";
import { createUsageStore, type LedgerDifference, type UsageStore } from "./ledger/usage.ts";
import { createWindowStore, type WindowRenewal, type WindowStore } from "./ledger/windows.ts";
import { Budgeter } from "./lessee/budgeter.ts";
import { type Clock, DatabaseClock, monotonicClock } from "./lessee/database-clock.ts";
import { JointBudgets } from "./lessee/joint-budgets.ts";
import { LedgerOutage } from "./lessee/ledger-outage.ts";
import { RateLimiter } from "./lessee/rate-limiter.ts";
import { UsageQueue } from "./lessee/usage-queue.ts";
import { toAllowanceError } from "./transient.ts";

interface AllowancesOptions {
  /** Database of the ledger; its migrations are applied before the first call. */
  readonly database: Database;
  readonly log: Logger;
  /** Name of this replica in leases, for people; `createAllowances` adds a unique suffix. */
  readonly replicaId: string;
  /** Folder for usage rows during a long outage of the database. Belongs to this replica alone, and survives its restart. */
  readonly spillFolder: string;
  /** Runs inside the transaction that decides the event; see {@link OnBudgetEvent}. A failed event is retried later. */
  readonly onBudgetEvent: OnBudgetEvent;
  /** Called when the transaction of a budget's event has been committed. */
  readonly onBudgetEventKept?: () => void;
  /** Absent where no other replica shares the ledger, or its idle parts need not come back before its ticks. */
  readonly messages?: ReplicaMessages;
  /** Epoch milliseconds, unaffected by corrections of the system's clock. */
  readonly clock?: Clock;
  /** The database's time as an SQL expression; for tests. */
  readonly databaseNow?: string;
}

/** Present numbers of leases, known users, reservations and usage rows of this replica, for its gauges. */
export interface AllowanceStats {
  readonly windowLeases: number;
  readonly budgetLeases: number;
  readonly users: number;
  readonly openReservations: number;
  readonly usageRowsInMemory: number;
  readonly usageRowsSpilled: number;
}

/**
 * Rate limits and monthly budgets of this replica, strict across all replicas; docs/allowances.md has the invariants. Results
 * come without a promise where the leases are warm, and with one where the database has to be asked.
 */
export interface Allowances {
  /** Starts to renew leases and to write usage rows; does not wait for the database. */
  start(): Promise<void>;
  /** Writes settled usage, to disk if necessary, and returns the leases. Calls in flight should have ended. */
  stop(): Promise<void>;
  /**
   * Counts one request in the windows of its project and token, and of the user that it names.
   * @throws GatewayError `unavailable` (the promise rejects) where the database is needed and unreachable.
   */
  admit(principal: TokenPrincipal, user?: UserName): Admission | Promise<Admission>;
  /** Leases rate-limit windows to other processes, directly from the tables. @throws GatewayError `unavailable`. */
  renewWindows: WindowStore["renew"];
  /**
   * Reserves money for one call, which must be settled or released.
   * @throws as `admit`, and without a promise when there is no room for usage rows.
   */
  reserve(request: ReservationRequest): ReserveResult | Promise<ReserveResult>;
  /** Reserves more money for a call with a reservation. @throws as `admit`. */
  extend(reservation: Reservation, claim: BudgetClaim): Promise<ExtendResult>;
  /** Ends a call that used something, however it ended. @returns false without effect when it had ended before. */
  settle(reservation: Reservation, usage: UsageRecord): boolean;
  /** Ends a call that never reached a provider. @returns false without effect when it had ended before. */
  release(reservation: Reservation): boolean;
  /**
   * Usage of endpoints in a month: of this replica's calls as of now, of others' as of their last flush.
   * @throws GatewayError `unavailable`.
   */
  getUsage(query: UsageQuery): Promise<UsageReport>;
  /** Usage of users in a month, likewise. @throws GatewayError `unavailable`. */
  getUserUsage(query: UsageQuery): Promise<UserUsageReport>;
  /** Endpoints whose ledger differs from the sum of its usage rows; empty unless there is a defect. */
  findLedgerDifferences(month?: Month): Promise<readonly LedgerDifference[]>;
  /** The work of every second after `start`: renews, returns and reclaims leases, writes usage. @throws when the database is away. */
  tick(): Promise<void>;
  /** Writes the usage rows of settled calls. @throws when the database is away; the rows stay. */
  flush(): Promise<void>;
  stats(): AllowanceStats;
}

/** Creates the ledger client of one replica; call `start` to run it. */
export function createAllowances(options: AllowancesOptions): Allowances {
  return new LeasedAllowances(options);
}

class LeasedAllowances implements Allowances {
  readonly #log: Logger;
  readonly #clock: DatabaseClock;
  readonly #windows: WindowStore;
  readonly #usage: UsageStore;
  readonly #reclaim: () => Promise<void>;
  readonly #users = new KnownUsers();
  readonly #limiter: RateLimiter;
  readonly #budgeter: Budgeter;
  readonly #budgets: JointBudgets;
  readonly #queue: UsageQueue;
  #isStarted = false;
  #isAway = false;
  #tickTimer: NodeJS.Timeout | undefined;
  #flushTimer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #ticking: Promise<void> | undefined;
  #reclaimAtMs = Number.NEGATIVE_INFINITY;
  #sweepAtMs = Number.NEGATIVE_INFINITY;
  #windowSweepAtMs = Number.NEGATIVE_INFINITY;

  constructor({
    database,
    log,
    clock = monotonicClock,
    databaseNow: now = databaseNow,
    ...options
  }: AllowancesOptions) {
    const replicaId = `${options.replicaId}.${randomUUID()}`;
    const exclusively = createMutex();
    this.#log = log;
    this.#clock = new DatabaseClock(clock);
    this.#windows = createWindowStore(poolStatements(database), now);
    this.#usage = createUsageStore(database, replicaId);
    const budgets = createBudgetStore(database, replicaId, now);
    this.#reclaim = async () => await budgets.reclaim();
    const outage = new LedgerOutage(clock);
    this.#limiter = new RateLimiter({ store: this.#windows, clock: this.#clock, log, users: this.#users, outage });
    this.#queue = new UsageQueue({
      store: this.#usage,
      spill: new SpillFolder({ folder: options.spillFolder, name: "usage", owner: replicaId, log }),
      log,
      exclusively,
      onFlushed: (rows, ledgers) => this.#budgeter.flushed(rows, ledgers),
    });
    this.#budgeter = new Budgeter({
      store: budgets,
      replicaId,
      clock: this.#clock,
      log,
      exclusively,
      onSettled: (row) => {
        this.#queue.add(row);
        this.#scheduleFlush();
      },
      onBudgetEvent: options.onBudgetEvent,
      onBudgetEventKept: options.onBudgetEventKept ?? (() => {}),
      outage,
      messages: options.messages,
    });
    this.#budgets = new JointBudgets(this.#budgeter, this.#users, () => this.#clock.local());
  }

  async start(): Promise<void> {
    this.#isStarted = true;
    this.#tickTimer = setInterval(() => void this.#inBackground(this.tick()), bounds.tickIntervalMs);
    this.#tickTimer.unref();
    await this.#inBackground(this.flush());
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    clearInterval(this.#tickTimer);
    clearTimeout(this.#flushTimer);
    await this.#ticking?.catch(() => {});
    await this.#limiter.stop();
    await this.#flushing?.catch(() => {});
    try {
      await this.flush();
      await this.#budgeter.stop();
    } catch (err) {
      this.#log.warn(
        { err },
        "The database is not available at the stop: usage rows are written to disk, and leases end when they expire.",
      );
      await this.#queue.spillAll();
    }
  }

  admit(principal: TokenPrincipal, user?: UserName): Admission | Promise<Admission> {
    return this.#limiter.admit(principal, user);
  }

  async renewWindows(asks: readonly WindowAsk[]): Promise<WindowRenewal> {
    try {
      return await this.#windows.renew(asks);
    } catch (err) {
      throw toAllowanceError(err);
    }
  }

  reserve(request: ReservationRequest): ReserveResult | Promise<ReserveResult> {
    if (!this.#queue.hasRoom) throw allowancesUnavailable();
    return this.#budgets.reserve(request);
  }

  async extend(reservation: Reservation, claim: BudgetClaim): Promise<ExtendResult> {
    return await this.#budgets.extend(reservation, claim);
  }

  settle(reservation: Reservation, usage: UsageRecord): boolean {
    return this.#budgets.settle(reservation, usage);
  }

  release(reservation: Reservation): boolean {
    return this.#budgets.release(reservation);
  }

  async getUsage(query: UsageQuery): Promise<UsageReport> {
    return await this.#reporting(async (month) => await this.#usage.report({ ...query, month }), query);
  }

  async getUserUsage(query: UsageQuery): Promise<UserUsageReport> {
    return await this.#reporting(async (month) => await this.#usage.reportUsers({ ...query, month }), query);
  }

  async findLedgerDifferences(month = monthOf(this.#clock.now())): Promise<readonly LedgerDifference[]> {
    return await this.#usage.findDifferences(month);
  }

  async #reporting<Report>(report: (month: Month) => Promise<Report>, { month }: UsageQuery): Promise<Report> {
    await this.#flushSettled();
    try {
      return await report(month ?? monthOf(this.#clock.now()));
    } catch (err) {
      throw toAllowanceError(err);
    }
  }

  /** Writes the rows of calls that have ended, so that a report has them; where it fails, the report fails as well. */
  async #flushSettled(): Promise<void> {
    // Rows on disk are of an outage, and may take minutes.
    if (this.#queue.rowsSpilled > 0) return;
    // A flush under way may have begun before the last call was settled.
    await this.#flushing?.catch(() => {});
    await this.#flushDue().catch(() => {});
  }

  async tick(): Promise<void> {
    this.#ticking ??= this.#tick().finally(() => (this.#ticking = undefined));
    await this.#ticking;
  }

  async flush(): Promise<void> {
    // A flush under way may have begun before the caller's rows were queued.
    await this.#flushing?.catch(() => {});
    this.#flushing ??= this.#queue.flush().finally(() => (this.#flushing = undefined));
    await this.#flushing;
  }

  /** Leaves rows that arrive meanwhile to the next flush, where they would not need a small block and a separate commit. */
  async #flushDue(): Promise<void> {
    this.#flushing ??= this.#queue.flushDue().finally(() => (this.#flushing = undefined));
    await this.#flushing;
  }

  stats(): AllowanceStats {
    return {
      windowLeases: this.#limiter.leaseCount,
      budgetLeases: this.#budgeter.leaseCount,
      users: this.#users.count,
      openReservations: this.#budgeter.openCount,
      usageRowsInMemory: this.#queue.rowsInMemory,
      usageRowsSpilled: this.#queue.rowsSpilled,
    };
  }

  /** Runs each part even if an earlier one failed. */
  async #tick(): Promise<void> {
    const parts = [
      async () => await this.#limiter.tick(),
      async () => await this.#flushDue(),
      async () => await this.#budgeter.tick(),
      async () => await this.#takeBack(),
    ];
    const failures: unknown[] = [];
    for (const part of parts) await part().catch((err: unknown) => failures.push(err));
    if (failures.length > 0) throw failures[0];
  }

  async #takeBack(): Promise<void> {
    const now = this.#clock.local();
    if (now >= this.#reclaimAtMs) {
      this.#reclaimAtMs = now + bounds.reclaimIntervalMs;
      await this.#reclaim();
    }
    const month = monthOf(this.#clock.now());
    if (now >= this.#windowSweepAtMs) {
      this.#windowSweepAtMs = now + bounds.windowSweepIntervalMs;
      await this.#windows.sweep();
    }
    if (now < this.#sweepAtMs) return;
    this.#sweepAtMs = now + bounds.sweepIntervalMs;
    await this.#usage.deleteEmptyUsers();
    await this.#usage.deleteUsersBefore(monthsBefore(month, bounds.userMonthsKept - 1));
    await this.#usage.deleteBefore(monthsBefore(month, bounds.usageMonthsKept - 1));
  }

  /** A full block goes out at once: rows that wait for long survive collections of young objects, which costs more than they do. */
  #scheduleFlush(): void {
    if (!this.#isStarted) return;
    const isFull = this.#queue.rowsInMemory >= bounds.usageBatchRowsMax;
    if (isFull && this.#flushing === undefined && !this.#isAway) this.#startFlush();
    else this.#flushTimer ??= setTimeout(() => this.#startFlush(), bounds.usageFlushIntervalMs);
  }

  #startFlush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    void this.#inBackground(this.#flushDue());
  }

  async #inBackground(work: Promise<void>): Promise<void> {
    try {
      await work;
      if (this.#isAway) this.#log.info("The database of rate limits and budgets is available again.");
      this.#isAway = false;
    } catch (err) {
      if (this.#isAway) return;
      this.#isAway = true;
      this.#log.warn(
        { err },
        "The database of rate limits and budgets is not available; calls use what is left of their leases.",
      );
    }
  }
}
