import { resourceNotFound } from "@gatehouse/admin";
import type { GatewayError } from "@gatehouse/errors";
import type { ProjectType, RateLimits } from "@gatehouse/principal";

/** A project with its limits; its members belong to other services. */
export interface Project {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly projectType: ProjectType;
  readonly rateLimits: RateLimits;
  /** Time for which calls go on while the ledger of limits and budgets is away; null refuses them. */
  readonly ledgerGraceSeconds: number | null;
  readonly createdAt: Date;
}

/** Limits of a project that is created without any. */
export const defaultRateLimits: RateLimits = { perMinute: 600, perHour: 20_000 };

/** The refusal for a uuid without a project, or one that the caller may not see. */
export function projectNotFound(uuid: string): GatewayError {
  return resourceNotFound("Project", uuid);
}
