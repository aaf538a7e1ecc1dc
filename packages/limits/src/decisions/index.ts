export {
  type Admission,
  type BudgetClaim,
  type BudgetEvent,
  type BudgetRefusal,
  budgetThresholdPercent,
  type EndpointUsage,
  type ExtendResult,
  type Reservation,
  type ReservationRequest,
  type ReserveResult,
  type TightestWindow,
  type UsageOutcome,
  type UsageQuery,
  type UsageRecord,
  type UsageReport,
  type UserBudget,
  type UserUsage,
  type UserUsageReport,
} from "./allowance.ts";
export { allowancesUnavailable, budgetRefused, rateLimited } from "./allowance-errors.ts";
export { allowanceBounds } from "./bounds.ts";
export { ledgerGraceMs, windowHeaders } from "./admission.ts";
export type { UserName } from "./known-users.ts";
export { type Month, monthOf, monthPattern } from "./month.ts";
export type { WindowScope } from "./window-lease.ts";
