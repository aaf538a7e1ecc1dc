import type { Micros } from "@gatehouse/money";
import type { Month } from "./month.ts";
import type { WindowScope } from "./window-lease.ts";

/** The rate-limit window with the fewest requests left, for the `X-RateLimit-*` headers. */
export interface TightestWindow {
  readonly limit: number;
  /** Requests left to all callers of the window, as far as this replica knows. */
  readonly remaining: number;
  /** When the window ends, Unix seconds. */
  readonly resetAtSeconds: number;
}

/** Whether a request may pass its rate limits. An admitted request has been counted in every window; a refused one in none. */
export type Admission =
  | {
      readonly admitted: true;
      /** Absent where no limit is set. */
      readonly tightest: TightestWindow | undefined;
    }
  | {
      readonly admitted: false;
      readonly scope: WindowScope;
      /** Whole seconds, at least 1, until the window ends. */
      readonly retryAfterSeconds: number;
      readonly tightest: TightestWindow;
    };

/** The money that a call asks for. */
export interface BudgetClaim {
  /** The most that the call can cost; whole, from 0. */
  readonly estimateMicros: Micros;
  /** Less than this is of no use to the call; the estimate when absent. */
  readonly leastMicros?: Micros;
  /** While calls in progress hold a part of the budget, the call takes no less than this (or half of what is left); `leastMicros` when absent. */
  readonly sharedMicros?: Micros;
}

/** A user with a budget, of the token that calls. */
export interface UserBudget {
  /** As the application names them; undefined for a call that names no user. */
  readonly user: string | undefined;
  /** Budget of each user of the token in a month; 0 refuses every call. */
  readonly budgetMicros: Micros;
}

/** A call that is about to spend an endpoint's money. */
export interface ReservationRequest extends BudgetClaim {
  readonly endpointUuid: string;
  readonly projectUuid: string;
  readonly tokenId: number;
  /** The endpoint's monthly budget; null is unlimited, 0 refuses every call. */
  readonly budgetMicros: Micros | null;
  /** Absent where the token's users have no budget. Else the call must fit both budgets, and is charged to both. */
  readonly userBudget?: UserBudget | undefined;
  /** Time for which calls of the project go on while the ledger is away, on the money that was leased before; 0 when absent. */
  readonly ledgerGraceMs?: number;
}

/** Money held for one call until it is settled or released. */
export interface Reservation {
  /** The call's id in the usage rows, a UUID. */
  readonly id: string;
  readonly request: ReservationRequest;
  /** The month that pays, whenever the call ends. */
  readonly month: Month;
}

/** Reason for which a budget refuses a call: too little is left, or calls in progress hold the rest. */
export type RefusalReason = "spent" | "in_progress";

/** A reservation that the budget has no room for; why, and how full it is. */
export interface BudgetRefusal {
  readonly ok: false;
  readonly reason: RefusalReason;
  /** Owner of the budget that refused; absent: the endpoint. */
  readonly payer?: "user";
  /** Settled calls of this month, not the ones in progress. */
  readonly spentMicros: Micros;
  /** Held by calls in progress. */
  readonly reservedMicros: Micros;
  readonly budgetMicros: Micros;
}

/** The end of asking for a reservation. */
export type ReserveResult =
  /** `heldMicros` is at most the estimate; what a call may cost is cut to it. */
  { readonly ok: true; readonly reservation: Reservation; readonly heldMicros: Micros } | BudgetRefusal;

/** Result of extending a reservation. */
export type ExtendResult = { readonly ok: true; readonly heldMicros: Micros } | BudgetRefusal;

/** End of a call that spent something. */
export type UsageOutcome = "answered" | "failed" | "abandoned";

/** Usage of one call, all its attempts together. Token counts and cost are whole numbers from 0. */
export interface UsageRecord {
  readonly requestId: string;
  /** The person behind the call, as the application names them; null where it names none. */
  readonly user: string | null;
  /** Provider that answered, or was asked last; null where none was asked. */
  readonly provider: string | null;
  readonly model: string | null;
  readonly outcome: UsageOutcome;
  readonly promptTokens: number;
  /** The part of `promptTokens` that the provider had cached. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  /** The part of `completionTokens` spent on reasoning. */
  readonly reasoningTokens: number;
  readonly costMicros: Micros;
  /** No price is known for the model, so the cost is 0. */
  readonly priceUnknown: boolean;
  /** The provider reported no usage; the tokens were counted here. */
  readonly estimated: boolean;
}

/** Raised once a month for an endpoint, by one replica. */
export interface BudgetEvent {
  readonly kind: "budget.threshold_reached" | "budget.exhausted";
  readonly endpointUuid: string;
  readonly projectUuid: string;
  readonly month: Month;
  readonly spentMicros: Micros;
  readonly budgetMicros: Micros;
}

/** The share of a budget at which `budget.threshold_reached` is raised. */
export const budgetThresholdPercent = 80;

/** Usage of one month: of a project, of an endpoint, or of all. */
export interface UsageQuery {
  readonly projectUuid?: string | undefined;
  readonly endpointUuid?: string | undefined;
  /** The current one when absent. */
  readonly month?: Month | undefined;
}

/** Sums of one endpoint in one month. */
export interface EndpointUsage {
  readonly endpointUuid: string;
  readonly projectUuid: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: Micros;
}

/** Usage of one user's calls; `user` is null for all without a separate row. */
export interface UserUsage {
  readonly user: string | null;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: Micros;
}

/**
 * Usage of calls that name a user; the most expensive users first, at most `allowanceBounds.reportedUsersMax`, then all others as
 * one.
 */
export interface UserUsageReport {
  readonly month: Month;
  readonly users: readonly UserUsage[];
}

/** Usage of one month by endpoint. */
export interface UsageReport {
  readonly month: Month;
  /** Ordered by endpoint. */
  readonly endpoints: readonly EndpointUsage[];
}
