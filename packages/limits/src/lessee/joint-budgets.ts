import type {
  BudgetClaim,
  BudgetRefusal,
  ExtendResult,
  Reservation,
  ReservationRequest,
  ReserveResult,
  UsageRecord,
  UserBudget,
} from "../decisions/allowance.ts";
import type { KnownUsers } from "../decisions/known-users.ts";
import type { Budgeter } from "./budgeter.ts";

type Ledgers = Pick<Budgeter, "reserve" | "knownRefusal" | "extend" | "settle" | "release">;

/**
 * Calls that two budgets pay for: the endpoint's, and that of the token's user. A user's budget is a ledger like an endpoint's,
 * with the same leases, rows and rules. A call reserves money of both, or of none.
 */
export class JointBudgets implements Omit<Ledgers, "knownRefusal"> {
  readonly #ledgers: Ledgers;
  readonly #users: KnownUsers;
  /** Clock of {@link KnownUsers.forgetIdle}, milliseconds. */
  readonly #now: () => number;
  /** Reservation of the user's budget, by that of the endpoint's. */
  readonly #ofUsers = new WeakMap<Reservation, Reservation>();

  constructor(ledgers: Ledgers, users: KnownUsers, now: () => number) {
    this.#ledgers = ledgers;
    this.#users = users;
    this.#now = now;
  }

  reserve(request: ReservationRequest): ReserveResult | Promise<ReserveResult> {
    const { userBudget } = request;
    return userBudget === undefined ? this.#ledgers.reserve(request) : this.#reserveBoth(request, userBudget);
  }

  async #reserveBoth(request: ReservationRequest, { user, budgetMicros }: UserBudget): Promise<ReserveResult> {
    // Otherwise calls that an endpoint refuses would hold the user's money meanwhile, and have the user's other calls refused.
    const refused = this.#ledgers.knownRefusal(request);
    if (refused !== undefined) return refused;
    const endpointUuid = this.#users.ledgerOf(request, user, this.#now());
    const ofUser = await this.#ledgers.reserve({ ...request, endpointUuid, budgetMicros });
    if (!ofUser.ok) return toUserRefusal(ofUser);
    const { reservation: held, heldMicros } = ofUser;
    // The user's budget may have granted less than the least amount: enough for a call whose prompt costs nothing.
    const leastMicros = Math.min(request.leastMicros ?? heldMicros, heldMicros);
    const sharedMicros = Math.min(request.sharedMicros ?? heldMicros, heldMicros);
    try {
      const ofEndpoint = await this.#ledgers.reserve({
        ...request,
        estimateMicros: heldMicros,
        leastMicros,
        sharedMicros,
      });
      if (!ofEndpoint.ok) {
        this.#ledgers.release(held);
        return ofEndpoint;
      }
      const both = request.budgetMicros === null ? heldMicros : Math.min(heldMicros, ofEndpoint.heldMicros);
      this.#ofUsers.set(ofEndpoint.reservation, held);
      return { ...ofEndpoint, heldMicros: both };
    } catch (err) {
      this.#ledgers.release(held);
      throw err;
    }
  }

  async extend(reservation: Reservation, claim: BudgetClaim): Promise<ExtendResult> {
    const ofUser = this.#ofUsers.get(reservation);
    if (ofUser === undefined) return await this.#ledgers.extend(reservation, claim);
    const byUser = await this.#ledgers.extend(ofUser, claim);
    if (!byUser.ok) return toUserRefusal(byUser);
    // If the endpoint's budget grants less, the user's budget keeps the difference reserved until the call ends.
    const byEndpoint = await this.#ledgers.extend(reservation, claim);
    if (!byEndpoint.ok) return byEndpoint;
    return { ok: true, heldMicros: Math.min(byUser.heldMicros, byEndpoint.heldMicros) };
  }

  settle(reservation: Reservation, usage: UsageRecord): boolean {
    // Only the endpoint's row names the user, so that reports count a call once.
    const ofUser = this.#ofUsers.get(reservation);
    if (ofUser !== undefined) this.#ledgers.settle(ofUser, { ...usage, user: null });
    return this.#ledgers.settle(reservation, usage);
  }

  release(reservation: Reservation): boolean {
    const ofUser = this.#ofUsers.get(reservation);
    if (ofUser !== undefined) this.#ledgers.release(ofUser);
    return this.#ledgers.release(reservation);
  }
}

function toUserRefusal(refusal: BudgetRefusal): BudgetRefusal {
  return { ...refusal, payer: "user" };
}
