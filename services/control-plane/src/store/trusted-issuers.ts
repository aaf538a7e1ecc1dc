import { isUuid } from "@gatehouse/admin";
import { toDatabaseError } from "@gatehouse/database";
import { isScope, type TokenReach, type UserLimits } from "@gatehouse/principal";
import type pg from "pg";
import { type Issuer, subjectsMax } from "../domain/issuer.ts";
import { fromReachColumn } from "./reach-column.ts";
import { type ProjectColumns, projectColumns, type ResolvedProject, toResolvedProject } from "./resolved-project.ts";

/** Project to which a JWT was sent, with its trusted issuers, oldest first; at least one. */
export interface TrustingProject {
  readonly project: ResolvedProject;
  readonly issuers: readonly Issuer[];
}

/** The token of an issuer's subject. */
export interface SubjectToken {
  readonly id: number;
  readonly name: string;
  readonly isActive: boolean;
  readonly expiresAt: Date | null;
  readonly perMinute: number | null;
  readonly perHour: number | null;
  readonly userLimits: UserLimits;
  readonly reach: TokenReach;
}

interface SubjectRow extends Omit<SubjectToken, "userLimits" | "reach"> {
  readonly userPerMinute: number | null;
  readonly userBudgetMicros: number | null;
  readonly reach: unknown;
}

/** Projects listed to the routers at once. */
const listedMax = 10_000;

interface TrustedIssuer {
  readonly projectUuid: string;
  readonly projectType: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
}

/** Reads issuers for resolving JWTs. */
export interface TrustReader {
  /** Undefined where no issuer is trusted, or the project is missing. */
  find(projectUuid: string): Promise<TrustingProject | undefined>;
  list(): Promise<readonly TrustedIssuer[]>;
  /** Token of a subject, created at its first JWT. Undefined where the issuer is deleted, or has the largest number of subjects. */
  subject(issuerId: number, subject: string): Promise<SubjectToken | undefined>;
}

/** An issuer's columns by the names of its fields, and those of its project. */
type IssuerRow = Omit<Issuer, "projectUuid" | "scopes"> & ProjectColumns & { readonly scopes: readonly string[] };

const findIssuers = {
  name: "find_trusted_issuers",
  text: `
    SELECT i.id, i.issuer, i.audience, i.scopes, i.scope_claim AS "scopeClaim", i.jwks_url AS "jwksUrl",
           i.rate_limit_per_minute AS "rateLimitPerMinute", i.rate_limit_per_hour AS "rateLimitPerHour",
           i.created_at AS "createdAt", ${projectColumns}
      FROM issuers i JOIN projects p ON p.id = i.project_id
     WHERE p.uuid = $1::uuid
     ORDER BY i.id`,
};

const listIssuers = `
  SELECT p.uuid AS "projectUuid", p.project_type AS "projectType", i.issuer, i.scopes
    FROM issuers i JOIN projects p ON p.id = i.project_id
   ORDER BY i.id LIMIT ${listedMax}`;

const subjectColumns = `id, name, is_active AS "isActive", expires_at AS "expiresAt", rate_limit_per_minute AS "perMinute",
  rate_limit_per_hour AS "perHour", user_limit_per_minute AS "userPerMinute", user_budget_micros::float8 AS "userBudgetMicros",
  reach`;

const findSubject = {
  name: "find_subject",
  text: `SELECT ${subjectColumns} FROM access_tokens WHERE issuer_id = $1 AND subject = $2`,
};

const insertSubject = `
  INSERT INTO access_tokens (project_id, name, environment, scopes, issuer_id, subject)
  SELECT i.project_id, $2, 'live', i.scopes, i.id, $2 FROM issuers i
   WHERE i.id = $1
     AND (SELECT count(*) FROM (SELECT 1 FROM access_tokens WHERE issuer_id = $1 LIMIT ${subjectsMax}) s) < ${subjectsMax}
  ON CONFLICT (issuer_id, subject) DO NOTHING`;

/** Finds issuers for JWTs, with prepared statements. */
export function createTrustReader(pool: pg.Pool): TrustReader {
  const query = async <Row extends pg.QueryResultRow>(config: pg.QueryConfig) => {
    try {
      return (await pool.query<Row>(config)).rows;
    } catch (err) {
      throw toDatabaseError(err);
    }
  };
  const read = async (values: [number, string]) => {
    const [row] = await query<SubjectRow>({ ...findSubject, values });
    if (row === undefined) return undefined;
    const { userPerMinute: perMinute, userBudgetMicros: monthlyBudgetMicros, ...rest } = row;
    return { ...rest, userLimits: { perMinute, monthlyBudgetMicros }, reach: fromReachColumn(row.reach) };
  };
  return {
    async find(projectUuid) {
      if (!isUuid(projectUuid)) return undefined;
      const rows = await query<IssuerRow>({ ...findIssuers, values: [projectUuid] });
      const [first] = rows;
      return first && { project: toResolvedProject(first), issuers: rows.map(toIssuer) };
    },
    list: async () => await query<TrustedIssuer>({ text: listIssuers }),
    async subject(issuerId, subject) {
      const known = await read([issuerId, subject]);
      if (known !== undefined) return known;
      await query({ text: insertSubject, values: [issuerId, subject] });
      return await read([issuerId, subject]);
    },
  };
}

/** Leaves the project's columns in the row, which is read for one call only. */
function toIssuer({ project_uuid: projectUuid, scopes, ...issuer }: IssuerRow): Issuer {
  return { ...issuer, projectUuid, scopes: scopes.filter(isScope) };
}
