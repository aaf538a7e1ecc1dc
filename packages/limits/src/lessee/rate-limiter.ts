import type { TokenPrincipal } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import { decideAdmission, ledgerGraceMs } from "../decisions/admission.ts";
import { tooManyLeases } from "../decisions/allowance-errors.ts";
import type { Admission } from "../decisions/allowance.ts";
import { allowanceBounds } from "../decisions/bounds.ts";
import type { KnownUsers, UserName } from "../decisions/known-users.ts";
import { type WindowAsk, WindowLease, type WindowScope } from "../decisions/window-lease.ts";
import type { WindowStore } from "../ledger/windows.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { LeaseRefills, type Refill } from "./lease-refills.ts";
import type { LedgerOutage } from "./ledger-outage.ts";

interface RateLimiterOptions {
  readonly store: Pick<WindowStore, "renew">;
  readonly clock: DatabaseClock;
  readonly log: Logger;
  readonly users: KnownUsers;
  readonly outage: LedgerOutage;
}

/** Counts requests against the windows of projects, tokens and their users, in memory while the leases last. */
export class RateLimiter {
  readonly #store: Pick<WindowStore, "renew">;
  readonly #clock: DatabaseClock;
  readonly #log: Logger;
  readonly #users: KnownUsers;
  readonly #outage: LedgerOutage;
  readonly #leases = new Map<string, WindowLease>();
  /** Leases of a known principal, which is the same object while its header is cached. */
  readonly #known = new WeakMap<TokenPrincipal, readonly WindowLease[]>();
  readonly #refills: LeaseRefills<WindowLease>;

  constructor({ store, clock, log, users, outage }: RateLimiterOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#users = users;
    this.#outage = outage;
    this.#refills = new LeaseRefills(
      async (refills) => await this.#renew(refills.map(toAsk)),
      () => clock.local(),
      outage,
    );
  }

  /** @throws GatewayError `unavailable` (the promise rejects) where the database is needed and unreachable. */
  admit(principal: TokenPrincipal, user: UserName): Admission | Promise<Admission> {
    return this.#decide(principal, user) ?? this.#admitSlowly(principal, user);
  }

  #decide(principal: TokenPrincipal, user: UserName): Admission | undefined {
    const leases = this.#leasesFor(principal, user);
    const isGoingOn = this.#outage.isWithin(ledgerGraceMs(principal));
    const decision = decideAdmission(leases, this.#clock.now(), isGoingOn);
    if (decision?.admitted === true) {
      for (const lease of leases) if (lease.isLow) this.#refills.refillAhead(lease);
    }
    return decision;
  }

  async #admitSlowly(principal: TokenPrincipal, user: UserName): Promise<Admission> {
    const coldLeases = () => {
      const now = this.#clock.now();
      const cold = this.#leasesFor(principal, user).filter((lease) => lease.state(now) === "cold");
      return cold.map((lease) => ({ lease, need: 1 }));
    };
    return await this.#refills.untilDecided(coldLeases, () => this.#decide(principal, user));
  }

  /** Returns unused requests, and forgets idle leases. */
  async tick(): Promise<void> {
    const now = this.#clock.now();
    this.#users.forgetIdle(this.#clock.local());
    const surplus = [...this.#leases.values()].filter((lease) => lease.endTick(now));
    for (const [key, lease] of this.#leases) {
      if (lease.isForgettable(now) && !this.#refills.has(lease)) this.#drop(key, lease);
    }
    await this.#handBack(surplus);
  }

  async stop(): Promise<void> {
    const leases = [...this.#leases.values()];
    await this.#handBack(leases.filter((lease) => lease.close()));
  }

  get leaseCount(): number {
    return this.#leases.size;
  }

  /** Returns requests in one attempt: repeating one that did arrive would return them twice. */
  async #handBack(leases: readonly WindowLease[]): Promise<void> {
    for (let at = 0; at < leases.length; at += allowanceBounds.renewalRowsMax) {
      const batch = leases.slice(at, at + allowanceBounds.renewalRowsMax);
      try {
        await this.#renew(batch.map((lease) => ({ lease, ask: lease.ask(0, 0) })));
      } catch (err) {
        this.#log.debug({ err }, "Unused requests were not handed back; their windows end without them.");
      }
    }
  }

  async #renew(asked: readonly { readonly lease: WindowLease; readonly ask: WindowAsk }[]): Promise<void> {
    const sentMs = this.#clock.local();
    const { grants, databaseMs } = await this.#outage.watch(
      async () => await this.#store.renew(asked.map(({ ask }) => ask)),
    );
    this.#clock.observe(sentMs, databaseMs);
    const now = this.#clock.now();
    asked.forEach(({ lease, ask }, at) => {
      const grant = grants[at];
      if (grant !== undefined) lease.apply(grant, ask, now);
    });
  }

  #leasesFor(principal: TokenPrincipal, user: UserName): readonly WindowLease[] {
    return this.#withUser(this.#leasesOf(principal), principal, user);
  }

  #leasesOf(principal: TokenPrincipal): readonly WindowLease[] {
    const known = this.#known.get(principal);
    if (known !== undefined && !known.some((lease) => lease.dropped)) return known;
    const { project, tokenId, rateLimits } = principal;
    const leases: WindowLease[] = [];
    const add = (subject: string, scope: WindowScope, limit: number | null) => {
      if (limit !== null) leases.push(this.#leaseOf(subject, scope, limit));
    };
    add(`project:${project.uuid}`, "minute", project.rateLimits.perMinute);
    add(`project:${project.uuid}`, "hour", project.rateLimits.perHour);
    add(`token:${tokenId}`, "minute", rateLimits.perMinute);
    add(`token:${tokenId}`, "hour", rateLimits.perHour);
    for (const lease of leases) lease.changeGrace(ledgerGraceMs(principal));
    this.#known.set(principal, leases);
    return leases;
  }

  #withUser(leases: readonly WindowLease[], principal: TokenPrincipal, user: UserName): readonly WindowLease[] {
    const limit = principal.userLimits?.perMinute ?? null;
    if (limit === null) return leases;
    const graceMs = ledgerGraceMs(principal);
    const token = { tokenId: principal.tokenId, projectUuid: principal.project.uuid, ledgerGraceMs: graceMs };
    const subject = `user:${this.#users.ledgerOf(token, user, this.#clock.local())}`;
    const ofUser = this.#leaseOf(subject, "minute", limit);
    ofUser.changeGrace(graceMs);
    return [...leases, ofUser];
  }

  #leaseOf(subject: string, scope: WindowScope, limit: number): WindowLease {
    const key = `${scope} ${subject}`;
    const existing = this.#leases.get(key);
    if (existing !== undefined) {
      existing.changeLimit(limit);
      return existing;
    }
    if (this.#leases.size >= allowanceBounds.leasesMax) {
      throw tooManyLeases("rate limits", allowanceBounds.leasesMax);
    }
    const lease = new WindowLease(subject, scope, { limit, nowMs: this.#clock.now() });
    this.#leases.set(key, lease);
    return lease;
  }

  #drop(key: string, lease: WindowLease): void {
    this.#leases.delete(key);
    lease.dropped = true;
  }
}

function toAsk({ lease, need }: Refill<WindowLease>): { readonly lease: WindowLease; readonly ask: WindowAsk } {
  return { lease, ask: lease.ask(need) };
}
