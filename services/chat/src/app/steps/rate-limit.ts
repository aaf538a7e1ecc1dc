import { andThen } from "@gatehouse/async";
import { userOf } from "@gatehouse/dialects";
import { type Admission, rateLimited, type UserName } from "@gatehouse/limits";
import type { TokenPrincipal } from "@gatehouse/principal";
import type { Received } from "../call.ts";
import type { Step, Verdict } from "../pipeline.ts";

/** Counts a request against its windows; without a promise where the leases are warm. */
export type Admit = (principal: TokenPrincipal, user: UserName) => Admission | Promise<Admission>;

/** The request fits the limits of its project, its token and its user (429). From here on it counts, whatever becomes of it. */
export function createRateLimitStep(admit: Admit): Step {
  return {
    name: "rate_limit",
    enter(call) {
      return andThen(admit(call.principal, userOf(call.user, call.request)), (admission) => judge(call, admission));
    },
  };
}

function judge(call: Received, admission: Admission): Verdict {
  call.tightestWindow = admission.tightest;
  return admission.admitted ? undefined : rateLimited(admission);
}
