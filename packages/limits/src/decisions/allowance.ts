import type { Micros } from "@gatehouse/money";
import type { Month } from "./month.ts";
import type { WindowScope } from "./window-lease.ts";

/** The rate-limit window with the fewest requests left, for the `X-RateLimit-*` headers. */
export interface TightestWindow {
  readonly limit: number;
  /** Requests left to all callers of the window, as known to this replica. */
  readonly remaining: number;
  /** End of the window, Unix seconds. */
  readonly resetAtSeconds: number;
}

/** Decision on a request's rate limits. An admitted request has been counted in every window; a refused one in none. */
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

/** Amounts in micro-dollars that a call asks for; between `leastMicros` and `estimateMicros` it may get a part. */
export interface BudgetClaim {
  /** Highest cost of the call; whole, from 0. */
  readonly estimateMicros: Micros;
  /** Least useful amount for the call; the estimate when absent. */
  readonly leastMicros?: Micros;
  /**
   * Least amount while calls in progress hold a part of the budget (or half of what is left, if that is less); `leastMicros` when
   * absent.
   */
  readonly sharedMicros?: Micros;
}

/** Budget of the calling token's user. */
export interface UserBudget {
  /** Name given by the application; undefined for a call without one. */
  readonly user: string | undefined;
  /** Budget of each user of the token in a month; 0 refuses every call. */
  readonly budgetMicros: Micros;
}

/** Call that asks for a reservation, with the budgets that must pay for it. */
export interface ReservationRequest extends BudgetClaim {
  readonly endpointUuid: string;
  readonly projectUuid: string;
  readonly tokenId: number;
  /** The endpoint's monthly budget; null is unlimited, 0 refuses every call. */
  readonly budgetMicros: Micros | null;
  /** Absent where the token's users have no budget. Else the call must fit both budgets, and is charged to both. */
  readonly userBudget?: UserBudget | undefined;
  /** Time for which calls of the project go on during an outage of the ledger, on leased money; 0 when absent. */
  readonly ledgerGraceMs?: number;
}

/** Money reserved for one call until it is settled or released. */
export interface Reservation {
  /** The call's id in the usage rows, a UUID. */
  readonly id: string;
  readonly request: ReservationRequest;
  /** The month that pays, even if the call ends in a later one. */
  readonly month: Month;
}

/** Reason of a budget's refusal: too little is left, or calls in progress hold the rest. */
export type RefusalReason = "spent" | "in_progress";

/** Refusal of a reservation, with the budget's state. */
export interface BudgetRefusal {
  readonly ok: false;
  readonly reason: RefusalReason;
  /** Owner of the budget that refused; the endpoint when absent. */
  readonly payer?: "user";
  /** Settled calls of this month, without those in progress. */
  readonly spentMicros: Micros;
  /** Reserved by calls in progress. */
  readonly reservedMicros: Micros;
  readonly budgetMicros: Micros;
}

/** Result of a reservation: the amount held, or the refusal of the endpoint's or the user's budget. */
export type ReserveResult =
  /** `heldMicros` is at most the estimate; the call's cost is limited to it. */
  { readonly ok: true; readonly reservation: Reservation; readonly heldMicros: Micros } | BudgetRefusal;

/** Result of extending a reservation; `heldMicros` is the added amount. A refusal leaves the reservation as it was. */
export type ExtendResult = { readonly ok: true; readonly heldMicros: Micros } | BudgetRefusal;

/** Result of a call that spent something. */
export type UsageOutcome = "answered" | "failed" | "abandoned";

/** Usage of one call, summed over its attempts. Token counts and cost are whole numbers from 0. */
export interface UsageRecord {
  readonly requestId: string;
  /** User named by the application; null where it names none. */
  readonly user: string | null;
  /** Provider that answered, or was tried last; null where none was tried. */
  readonly provider: string | null;
  readonly model: string | null;
  readonly outcome: UsageOutcome;
  readonly promptTokens: number;
  /** Prompt tokens that the provider had cached. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  /** Completion tokens of reasoning. */
  readonly reasoningTokens: number;
  readonly costMicros: Micros;
  /** Whether the model's price is unknown; the cost is then 0. */
  readonly priceUnknown: boolean;
  /** Whether the tokens were counted here, because the provider reported no usage. */
  readonly estimated: boolean;
}

/** Raised once a month per endpoint, across all replicas, and again after the endpoint's budget was raised. */
export interface BudgetEvent {
  readonly kind: "budget.threshold_reached" | "budget.exhausted";
  readonly endpointUuid: string;
  readonly projectUuid: string;
  readonly month: Month;
  readonly spentMicros: Micros;
  readonly budgetMicros: Micros;
}

/** Share of a budget at which `budget.threshold_reached` is raised, percent. */
export const budgetThresholdPercent = 80;

/** Month and scope of a usage report: a project, an endpoint, or all. */
export interface UsageQuery {
  readonly projectUuid?: string | undefined;
  readonly endpointUuid?: string | undefined;
  /** The current month when absent. */
  readonly month?: Month | undefined;
}

/** Settled usage of one endpoint in one month, failed and abandoned calls that cost something included. */
export interface EndpointUsage {
  readonly endpointUuid: string;
  readonly projectUuid: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: Micros;
}

/** Usage of one user's calls; `user` is null for all others together. */
export interface UserUsage {
  readonly user: string | null;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: Micros;
}

/** Usage of calls that name a user: at most `allowanceBounds.reportedUsersMax` users, by falling cost, then all others as one. */
export interface UserUsageReport {
  readonly month: Month;
  readonly users: readonly UserUsage[];
}

/** Usage of one month by endpoint, as of the last flush of each replica. */
export interface UsageReport {
  readonly month: Month;
  /** Ordered by endpoint. */
  readonly endpoints: readonly EndpointUsage[];
}
