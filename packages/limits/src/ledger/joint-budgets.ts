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

type Ledgers = Pick<Budgeter, "reserve" | "extend" | "settle" | "release">;

interface JointBudgetsOptions {
  readonly ledgers: Ledgers;
  readonly users: KnownUsers;
  /** By the clock that forgets users. */
  readonly now: () => number;
}

/**
 * Calls that two budgets pay for: the endpoint's, and that of the token's user. A user's budget is a ledger like an endpoint's,
 * with the same leases and rows, so that what holds for the one holds for the other. A call holds money of both, or of none.
 */
export class JointBudgets implements Ledgers {
  readonly #options: JointBudgetsOptions;
  /** Reservation of the user's budget, by the reservation of the endpoint's. */
  readonly #ofUsers = new WeakMap<Reservation, Reservation>();

  constructor(options: JointBudgetsOptions) {
    this.#options = options;
  }

  reserve(request: ReservationRequest): ReserveResult | Promise<ReserveResult> {
    const { userBudget, ...ofEndpoint } = request;
    if (userBudget === undefined) return this.#options.ledgers.reserve(request);
    return this.#reserveBoth(ofEndpoint, userBudget);
  }

  async #reserveBoth(request: ReservationRequest, { user, budgetMicros }: UserBudget): Promise<ReserveResult> {
    const { ledgers, users, now } = this.#options;
    const endpointUuid = users.ledgerOf(request, user, now());
    const ofUser = await ledgers.reserve({ ...request, endpointUuid, budgetMicros });
    if (!ofUser.ok) return toUserRefusal(ofUser);
    const { reservation: held, heldMicros } = ofUser;
    // Less than the least is what a call is content with whose prompt costs nothing.
    const leastMicros = Math.min(request.leastMicros ?? heldMicros, heldMicros);
    const sharedMicros = Math.min(request.sharedMicros ?? heldMicros, heldMicros);
    try {
      const ofEndpoint = await ledgers.reserve({ ...request, estimateMicros: heldMicros, leastMicros, sharedMicros });
      if (!ofEndpoint.ok) {
        ledgers.release(held);
        return ofEndpoint;
      }
      const both = request.budgetMicros === null ? heldMicros : Math.min(heldMicros, ofEndpoint.heldMicros);
      this.#ofUsers.set(ofEndpoint.reservation, held);
      return { ...ofEndpoint, heldMicros: both };
    } catch (err) {
      ledgers.release(held);
      throw err;
    }
  }

  async extend(reservation: Reservation, claim: BudgetClaim): Promise<ExtendResult> {
    const { ledgers } = this.#options;
    const ofUser = this.#ofUsers.get(reservation);
    if (ofUser === undefined) return await ledgers.extend(reservation, claim);
    const byUser = await ledgers.extend(ofUser, claim);
    if (!byUser.ok) return toUserRefusal(byUser);
    // Where the endpoint has less, the user's budget holds the rest until the call ends.
    const byEndpoint = await ledgers.extend(reservation, claim);
    if (!byEndpoint.ok) return byEndpoint;
    return { ok: true, heldMicros: Math.min(byUser.heldMicros, byEndpoint.heldMicros) };
  }

  settle(reservation: Reservation, usage: UsageRecord): boolean {
    const { ledgers } = this.#options;
    // The row that names the user is the endpoint's: no call is in a report twice.
    const ofUser = this.#ofUsers.get(reservation);
    if (ofUser !== undefined) ledgers.settle(ofUser, { ...usage, user: null });
    return ledgers.settle(reservation, usage);
  }

  release(reservation: Reservation): boolean {
    const { ledgers } = this.#options;
    const ofUser = this.#ofUsers.get(reservation);
    if (ofUser !== undefined) ledgers.release(ofUser);
    return ledgers.release(reservation);
  }
}

function toUserRefusal(refusal: BudgetRefusal): BudgetRefusal {
  return { ...refusal, payer: "user" };
}
