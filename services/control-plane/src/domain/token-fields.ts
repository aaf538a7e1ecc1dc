import {
  array,
  boolean,
  type Columns,
  defineResource,
  dollars,
  fixed,
  id,
  integer,
  matching,
  nullable,
  oneOf,
  quote,
  refined,
  shown,
  string,
  timestamp,
  toDate,
  withDefault,
  withMessages,
  writableOptional,
} from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
import { toDollars, toMicros } from "@gatehouse/money";
import { parseNetworks, reachBounds, type TokenReach } from "@gatehouse/principal";
import { slugPattern, slugRule } from "@gatehouse/slugs";
import {
  createdAt,
  lastUsedAt,
  name,
  ofProject,
  rateLimitMax,
  rateLimits,
  scopeList,
  unrepeated,
} from "./shared-fields.ts";

const { endpointsMax, toolsMax, patternLengthMax, networksMax, lengthMax } = reachBounds;
const networkLengthMax = 100;
const slugLengthMax = 63;

const slugProblem = `must be a slug: ${slugRule}`;
/** Reserved words are slugs here: a rule about names that no endpoint has does no harm. */
const slug = withMessages(
  matching({
    description: "An endpoint's slug.",
    lengthMax: slugLengthMax,
    pattern: slugPattern,
    problem: slugProblem,
  }),
  { minLength: slugProblem, maxLength: slugProblem },
);

const network = refined(
  string({ description: "A network or an address, such as 10.0.0.0/8 or 2001:db8::/32.", lengthMax: networkLengthMax }),
  (given) =>
    parseNetworks([given]).bad.length === 0
      ? undefined
      : `must be a network such as 10.0.0.0/8 or 2001:db8::/32, not ${quote(given)}`,
);

/** A moment, or null for never. */
export const expiresAt = writableOptional(
  nullable(timestamp("When it stops working, e.g. 2027-01-31T12:00:00Z; null is never.")),
  { store: (given) => (given === null ? null : toDate(given)) },
);

/** An access token of applications. What it may reach is rules about names, which hold for what is made later too. */
export const token = defineResource({
  id: shown(id("The token's id.")),
  name,
  scopes: fixed(scopeList, { store: unrepeated }),
  is_active: shown(boolean("False once revoked, for good.")),
  environment: fixed(withDefault(oneOf("The token's prefix: svc_live_ or svc_test_.", ["live", "test"]), "live")),
  project: ofProject,
  ...rateLimits,
  user_rate_limit_per_minute: writableOptional(
    nullable(
      integer({
        description:
          "Requests a minute of each user that its calls name (X-Gatehouse-User, or user in the body); null is unlimited.",
        min: 1,
        max: rateLimitMax,
      }),
    ),
    { column: "userLimitPerMinute" },
  ),
  user_monthly_budget_usd: writableOptional(
    nullable(dollars("US dollars a calendar month (UTC) of each user that its calls name; null is unlimited.")),
    {
      column: "userBudgetMicros",
      store: (usd) => (usd === null ? null : toMicros(usd)),
      show: ({ userBudgetMicros: micros }: { readonly userBudgetMicros: number | null }) =>
        micros === null ? null : toDollars(micros),
    },
  ),
  endpoints: writableOptional(
    nullable(
      array(slug, {
        description: "Slugs of the endpoints that it may reach; others answer as if they did not exist. Null is all.",
        min: 0,
        max: endpointsMax,
      }),
    ),
  ),
  tools: writableOptional(
    nullable(
      array(string({ description: "A pattern of names.", lengthMax: patternLengthMax }), {
        description:
          "MCP tools that it may see and call, by name (in Gateway mode with prefix); '*' stands for any characters. Null is all.",
        min: 0,
        max: toolsMax,
      }),
    ),
  ),
  networks: writableOptional(
    nullable(
      array(network, {
        description:
          "Networks that it may be used from, e.g. 10.0.0.0/8; other callers are refused. Null is everywhere.",
        min: 1,
        max: networksMax,
      }),
    ),
  ),
  created_at: createdAt,
  last_used_at: lastUsedAt,
  expires_at: expiresAt,
});

/** The part of a token that an administrator writes. */
export interface TokenSettings
  extends
    TokenReach,
    Omit<
      Columns<typeof token.fields>,
      keyof TokenReach | "userRateLimitPerMinute" | "userMonthlyBudgetUsd" | "expiresAt"
    > {
  /** Limit of each user that its calls name, as is the next. */
  readonly userLimitPerMinute: number | null;
  readonly userBudgetMicros: number | null;
  readonly expiresAt: Date | null;
}

type Given = { readonly [Name in keyof TokenReach]?: TokenReach[Name] | undefined };

/** Lays what a call names over what holds now; repeats are dropped. @throws GatewayError `invalid_argument` */
export function readReach({ endpoints, tools, networks }: Given, present: TokenReach): TokenReach {
  const reach = {
    endpoints: overlay(endpoints, present.endpoints),
    tools: overlay(tools, present.tools),
    networks: overlay(networks, present.networks),
  };
  if (JSON.stringify(reach).length <= lengthMax) return reach;
  const problem = `endpoints, tools and networks must have at most ${lengthMax} characters together`;
  throw new GatewayError("invalid_argument", problem);
}

function overlay(given: readonly string[] | null | undefined, present: readonly string[] | null) {
  if (given === undefined) return present;
  return given === null ? null : unrepeated(given);
}
