import { toDatabaseError } from "@gatehouse/database";
import type { RateLimits } from "@gatehouse/principal";
import type pg from "pg";

/** An active token with its project, as routers know it. */
export interface ResolvedToken {
  readonly tokenId: number;
  readonly tokenName: string;
  readonly environment: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  readonly rateLimits: RateLimits;
  readonly project: {
    readonly id: number;
    readonly uuid: string;
    readonly name: string;
    readonly projectType: string;
    readonly rateLimits: RateLimits;
  };
}

export interface ResolvedAdminKey {
  readonly id: number;
  readonly name: string;
}

/** Answers who a credential belongs to, from its SHA-256. Undefined where it is unknown, revoked or expired. */
export interface PrincipalReader {
  findToken(hash: Buffer, now: Date): Promise<ResolvedToken | undefined>;
  findAdminKey(hash: Buffer): Promise<ResolvedAdminKey | undefined>;
}

interface TokenRow {
  readonly id: number;
  readonly name: string;
  readonly environment: string;
  readonly scopes: readonly string[];
  readonly expires_at: Date | null;
  readonly rate_limit_per_minute: number | null;
  readonly rate_limit_per_hour: number | null;
  readonly project_id: number;
  readonly project_uuid: string;
  readonly project_name: string;
  readonly project_type: string;
  readonly project_per_minute: number | null;
  readonly project_per_hour: number | null;
}

/** Prepared once a connection: routers ask this for every token that they do not hold. */
const findToken = {
  name: "find_token",
  text: `
    SELECT t.id, t.name, t.environment, t.scopes, t.expires_at, t.rate_limit_per_minute, t.rate_limit_per_hour,
           p.id AS project_id, p.uuid AS project_uuid, p.name AS project_name, p.project_type,
           p.rate_limit_per_minute AS project_per_minute, p.rate_limit_per_hour AS project_per_hour
      FROM access_tokens t JOIN projects p ON p.id = t.project_id
     WHERE t.token_hash = $1 AND t.is_active AND (t.expires_at IS NULL OR t.expires_at > $2)`,
};

const findAdminKey = {
  name: "find_admin_key",
  text: "SELECT id, name FROM admin_keys WHERE key_hash = $1 AND is_active ORDER BY id LIMIT 1",
};

export function createPrincipalReader(pool: pg.Pool): PrincipalReader {
  return {
    async findToken(hash, now) {
      const row = await first<TokenRow>(pool, { ...findToken, values: [hash, now] });
      return row === undefined ? undefined : toResolvedToken(row);
    },
    findAdminKey: async (hash) => await first<ResolvedAdminKey>(pool, { ...findAdminKey, values: [hash] }),
  };
}

async function first<Row extends pg.QueryResultRow>(pool: pg.Pool, query: pg.QueryConfig): Promise<Row | undefined> {
  try {
    return (await pool.query<Row>(query)).rows[0];
  } catch (err) {
    throw toDatabaseError(err);
  }
}

function toResolvedToken(row: TokenRow): ResolvedToken {
  return {
    tokenId: row.id,
    tokenName: row.name,
    environment: row.environment,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    rateLimits: { perMinute: row.rate_limit_per_minute, perHour: row.rate_limit_per_hour },
    project: {
      id: row.project_id,
      uuid: row.project_uuid,
      name: row.project_name,
      projectType: row.project_type,
      rateLimits: { perMinute: row.project_per_minute, perHour: row.project_per_hour },
    },
  };
}
