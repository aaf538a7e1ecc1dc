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
  ofProject,
  oneOf,
  quote,
  refined,
  resourceNotFound,
  shown,
  string,
  withDefault,
  withMessages,
  writableOptional,
} from "@gatehouse/admin";
import { type GatewayError, invalidArgument } from "@gatehouse/errors";
import { toDollars, toMicros } from "@gatehouse/money";
import { type ExternalSubject, parseNetworks, reachBounds, type TokenReach } from "@gatehouse/principal";
import { slugPattern, slugRule } from "@gatehouse/slugs";
import {
  createdAt,
  expiresAt,
  lastUsedAt,
  name,
  rateLimitMax,
  rateLimits,
  scopeList,
  type SettingsChange,
  unrepeated,
} from "./shared-fields.ts";

const { endpointsMax, toolsMax, patternLengthMax, networksMax, lengthMax } = reachBounds;
const networkLengthMax = 100;
const slugLengthMax = 63;

const slugProblem = `must be a slug: ${slugRule}`;
/** Accepts reserved words: a rule for a slug that no endpoint has is harmless. */
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

/** An access token of an application. Its reach consists of rules about names, which also cover objects that are created later. */
export const token = defineResource({
  id: shown(id("The token's id.")),
  name,
  scopes: fixed(scopeList, { store: unrepeated }),
  is_active: shown(
    boolean("False once revoked, which is permanent. A token that has expired stays true; see expires_at."),
  ),
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

/** The part of a token that administrators write. */
export interface TokenSettings
  extends
    TokenReach,
    Omit<
      Columns<typeof token.fields>,
      keyof TokenReach | "userRateLimitPerMinute" | "userMonthlyBudgetUsd" | "expiresAt"
    > {
  /** Limits of each end user that calls name. */
  readonly userLimitPerMinute: number | null;
  readonly userBudgetMicros: number | null;
  readonly expiresAt: Date | null;
}

type Given = { readonly [Name in keyof TokenReach]?: TokenReach[Name] | undefined };

/** Applies a change of the reach to the present one, without duplicates. @throws GatewayError `invalid_argument` */
export function readReach({ endpoints, tools, networks }: Given, present: TokenReach): TokenReach {
  const reach = {
    endpoints: overlay(endpoints, present.endpoints),
    tools: overlay(tools, present.tools),
    networks: overlay(networks, present.networks),
  };
  if (JSON.stringify(reach).length <= lengthMax) return reach;
  const problem = `endpoints, tools and networks must have at most ${lengthMax} characters together`;
  throw invalidArgument(problem);
}

function overlay(given: readonly string[] | null | undefined, present: readonly string[] | null) {
  if (given === undefined) return present;
  return given === null ? null : unrepeated(given);
}

/** A token without its plaintext, which is not stored. */
export interface AccessToken extends TokenSettings {
  readonly id: number;
  readonly projectUuid: string;
  /** False once revoked, which is final. */
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  /** Subject of an issuer, whose JWTs replace the plaintext; undefined for other tokens. */
  readonly external: ExternalSubject | undefined;
  /** End of a subject's revocation; null: never. */
  readonly revokedUntil: Date | null;
}

/** For tokens that the caller may not see, too. */
export function tokenNotFound(id: number): GatewayError {
  return resourceNotFound("Token", id);
}

/** A change of a token, with its whole new reach. */
export interface TokenChange extends SettingsChange<TokenSettings> {
  readonly settings: Partial<TokenSettings> & TokenReach;
}

/** Why a token cannot be changed; undefined where it can. */
export function findUpdateProblem(token: AccessToken): GatewayError | undefined {
  return token.isActive ? undefined : alreadyRevoked(token);
}

/** Why a token cannot be rotated: a new plaintext would not work either. Undefined where it can. */
export function findRotationProblem(token: AccessToken, now: Date): GatewayError | undefined {
  if (token.external !== undefined) {
    return invalidArgument(
      `Token has no plaintext: ${token.id} stands for a subject of issuer ${token.external.issuerId}.`,
    );
  }
  if (!token.isActive) return alreadyRevoked(token);
  if (token.expiresAt !== null && token.expiresAt <= now) {
    return invalidArgument(`Token has expired: ${token.id}. Give it a later expires_at first, or create a new token.`);
  }
  return undefined;
}

function alreadyRevoked({ id }: AccessToken): GatewayError {
  return invalidArgument(`Token is revoked: ${id}. Create a new token instead.`);
}
