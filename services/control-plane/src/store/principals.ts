import { createBatchRead, placeRows, readRows } from "@gatehouse/database";
import type { RateLimits, TokenReach, UserLimits } from "@gatehouse/principal";
import type pg from "pg";
import { type AdministratorRow, type ResolvedAdminKey, toAdministrator } from "./administrator.ts";
import { fromReachColumn } from "./reach-column.ts";
import { type ProjectColumns, projectColumns, type ResolvedProject, toResolvedProject } from "./resolved-project.ts";

/** An active token with its project, as routers receive it. */
export interface ResolvedToken {
  readonly tokenId: number;
  readonly tokenName: string;
  readonly environment: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  readonly rateLimits: RateLimits;
  readonly userLimits: UserLimits;
  readonly reach: TokenReach;
  readonly project: ResolvedProject;
}

/** Finds principals by the SHA-256 of a credential. Undefined: unknown, revoked or expired. */
export interface PrincipalReader {
  findToken(hash: Buffer, now: Date): Promise<ResolvedToken | undefined>;
  findAdminKey(hash: Buffer, now: Date): Promise<ResolvedAdminKey | undefined>;
}

interface TokenRow extends ProjectColumns {
  /** Position of the hash in the question, from 1; pg returns a bigint as text. */
  readonly place: string;
  readonly id: number;
  readonly name: string;
  readonly environment: string;
  readonly scopes: readonly string[];
  readonly expires_at: Date | null;
  readonly rate_limit_per_minute: number | null;
  readonly rate_limit_per_hour: number | null;
  readonly user_limit_per_minute: number | null;
  readonly user_budget_micros: number | null;
  readonly reach: unknown;
}

/** Prepared per connection: routers ask for every token that they have not cached, and every few seconds for those in use. */
const findTokens = {
  name: "find_tokens",
  text: `
    SELECT k.place, t.id, t.name, t.environment, t.scopes, t.expires_at, t.rate_limit_per_minute, t.rate_limit_per_hour,
           t.user_limit_per_minute, t.user_budget_micros::float8 AS user_budget_micros, t.reach, ${projectColumns}
      FROM unnest($1::bytea[]) WITH ORDINALITY AS k(hash, place)
      JOIN access_tokens t ON t.token_hash = k.hash
      JOIN projects p ON p.id = t.project_id
     WHERE t.is_active`,
};

const findAdminKey = {
  name: "find_admin_key",
  text: `
    SELECT id, name, role, gateway_wide AS "gatewayWide", project_uuids AS "projectUuids", expires_at AS "expiresAt"
      FROM admin_keys WHERE key_hash = $1 AND is_active AND (expires_at IS NULL OR expires_at > $2) ORDER BY id LIMIT 1`,
};

/** Finds principals by hash, batching questions into one statement. */
export function createPrincipalReader(pool: pg.Pool): PrincipalReader {
  const findActiveToken = createBatchRead(async (hashes: readonly Buffer[]) => {
    return placeRows(hashes, await readRows<TokenRow>({ pool }, { ...findTokens, values: [hashes] }));
  });
  return {
    async findToken(hash, now) {
      const row = await findActiveToken(hash);
      if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) return undefined;
      return toResolvedToken(row);
    },
    async findAdminKey(hash, now) {
      const [row] = await readRows<AdministratorRow>({ pool }, { ...findAdminKey, values: [hash, now] });
      return row === undefined ? undefined : toAdministrator(row);
    },
  };
}

function toResolvedToken(row: TokenRow): ResolvedToken {
  return {
    tokenId: row.id,
    tokenName: row.name,
    environment: row.environment,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    rateLimits: { perMinute: row.rate_limit_per_minute, perHour: row.rate_limit_per_hour },
    userLimits: { perMinute: row.user_limit_per_minute, monthlyBudgetMicros: row.user_budget_micros },
    reach: fromReachColumn(row.reach),
    project: toResolvedProject(row),
  };
}
