import {
  type Columns,
  defineResource,
  fixed,
  id,
  oneOf,
  parseUuid,
  reference,
  resourceNotFound,
  shown,
  withDefault,
} from "@gatehouse/admin";
import type { GatewayError } from "@gatehouse/errors";
import { projectTypes } from "@gatehouse/principal";
import { createdAt, name, onLedgerUnavailable, rateLimits } from "./shared-fields.ts";

/** Limits of a project that is created without any. */
const defaultLimits = { perMinute: 600, perHour: 20_000 };

const { rate_limit_per_minute: perMinute, rate_limit_per_hour: perHour } = rateLimits;

/** A project: the owner of tokens, endpoints and limits. */
export const project = defineResource({
  id: shown(id("The project's id.")),
  uuid: shown(reference("The project's uuid.")),
  name,
  project_type: fixed(oneOf("What the project serves; it cannot be changed later.", projectTypes)),
  rate_limit_per_minute: { ...perMinute, schema: withDefault(perMinute.schema, defaultLimits.perMinute) },
  rate_limit_per_hour: { ...perHour, schema: withDefault(perHour.schema, defaultLimits.perHour) },
  on_ledger_unavailable: onLedgerUnavailable,
  created_at: createdAt,
});

/** The part of a project that an administrator writes. */
export interface ProjectSettings extends Omit<Columns<typeof project.fields>, "onLedgerUnavailable"> {
  /** Time for which calls go on while the ledger of limits and budgets is away; null refuses them. */
  readonly ledgerGraceSeconds: number | null;
}

/** A project with its limits; its members belong to other services. */
export interface Project extends ProjectSettings {
  readonly id: number;
  readonly uuid: string;
  readonly createdAt: Date;
}

/** The uuid in the form that rows have. @throws GatewayError `not_found` for a text that is no uuid, and so of no project. */
export function requireProjectUuid(text: string): string {
  const uuid = parseUuid(text);
  if (uuid === undefined) throw projectNotFound(text);
  return uuid;
}

/** The refusal for a uuid without a project, or one that the caller may not see. */
export function projectNotFound(uuid: string): GatewayError {
  return resourceNotFound("Project", uuid);
}
