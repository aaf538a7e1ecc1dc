import type { RateLimits } from "@gatehouse/principal";

/** A project, as routers receive it. */
export interface ResolvedProject {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly projectType: string;
  readonly rateLimits: RateLimits;
  readonly ledgerGraceSeconds: number | null;
}

/** A project's columns of a joined row. */
export interface ProjectColumns {
  readonly project_id: number;
  readonly project_uuid: string;
  readonly project_name: string;
  readonly project_type: string;
  readonly project_per_minute: number | null;
  readonly project_per_hour: number | null;
  readonly ledger_grace_seconds: number | null;
}

/** Columns of {@link ProjectColumns}, in a statement in which `p` is the project. */
export const projectColumns = `p.id AS project_id, p.uuid AS project_uuid, p.name AS project_name, p.project_type,
           p.rate_limit_per_minute AS project_per_minute, p.rate_limit_per_hour AS project_per_hour,
           p.ledger_grace_seconds`;

/** Project of a principal, from a row with {@link projectColumns}. A null limit means none. */
export function toResolvedProject(row: ProjectColumns): ResolvedProject {
  return {
    id: row.project_id,
    uuid: row.project_uuid,
    name: row.project_name,
    projectType: row.project_type,
    rateLimits: { perMinute: row.project_per_minute, perHour: row.project_per_hour },
    ledgerGraceSeconds: row.ledger_grace_seconds,
  };
}
