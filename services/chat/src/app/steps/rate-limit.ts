import { andThen } from "@gatehouse/async";
import { userOf } from "@gatehouse/dialects";
import { type Admission, rateLimited, type UserName } from "@gatehouse/limits";
import type { TokenPrincipal } from "@gatehouse/principal";
import type { Received } from "../call.ts";
import type { Step, Verdict } from "../pipeline.ts";

/** Counts a request against its rate limits; synchronous while the leases suffice. */
export type Admit = (principal: TokenPrincipal, user: UserName) => Admission | Promise<Admission>;

/** Counts the request against the rate limits of its project, token and user (429). It stays counted, whatever its result. */
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
