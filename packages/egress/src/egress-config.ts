import type { EnvReader } from "@gatehouse/config";
import { allowNothing, type EgressAllow, EgressAllowError, parseEgressAllow } from "./egress-allow.ts";

/** Settings of calls that a service makes to addresses of tenants. */
export interface EgressConfig {
  readonly allow: EgressAllow;
}

/** Reads `EGRESS_ALLOW`; opens nothing by default. Each invalid entry becomes one problem of the reader. */
export function readEgressConfig(env: EnvReader): EgressConfig {
  try {
    return { allow: parseEgressAllow(env.text("EGRESS_ALLOW", "")) };
  } catch (err) {
    if (!(err instanceof EgressAllowError)) throw err;
    for (const problem of err.problems) env.problem("EGRESS_ALLOW", `has a bad entry: ${problem}`);
    return { allow: allowNothing };
  }
}
