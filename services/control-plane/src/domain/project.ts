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

/** Default limits of a new project. */
const defaultLimits = { perMinute: 600, perHour: 20_000 };

const { rate_limit_per_minute: perMinute, rate_limit_per_hour: perHour } = rateLimits;

/** A project: the owner of tokens, endpoints and limits. */
export const project = defineResource({
  id: shown(id("The project's id.")),
  uuid: shown(reference("The project's uuid.")),
  name,
  project_type: fixed(oneOf("Kind of traffic that the project serves; it cannot be changed later.", projectTypes)),
  rate_limit_per_minute: { ...perMinute, schema: withDefault(perMinute.schema, defaultLimits.perMinute) },
  rate_limit_per_hour: { ...perHour, schema: withDefault(perHour.schema, defaultLimits.perHour) },
  on_ledger_unavailable: onLedgerUnavailable,
  created_at: createdAt,
});

/** The part of a project that administrators write. */
export interface ProjectSettings extends Omit<Columns<typeof project.fields>, "onLedgerUnavailable"> {
  /** Time for which calls go on while the ledger of limits and budgets is unavailable; null refuses them. */
  readonly ledgerGraceSeconds: number | null;
}

/**
 * Stored project. Its tokens and issuers are in this service; endpoints, upstreams and webhooks are in services that know its
 * uuid.
 */
export interface Project extends ProjectSettings {
  readonly id: number;
  readonly uuid: string;
  readonly createdAt: Date;
}

/** Normalises a uuid to its stored form. @throws GatewayError `not_found` for a text that is not a uuid */
export function requireProjectUuid(text: string): string {
  const uuid = parseUuid(text);
  if (uuid === undefined) throw projectNotFound(text);
  return uuid;
}

/** For projects that the caller may not see, too. */
export function projectNotFound(uuid: string): GatewayError {
  return resourceNotFound("Project", uuid);
}
