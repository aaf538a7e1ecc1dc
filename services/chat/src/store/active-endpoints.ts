import { type Database, readRows } from "@gatehouse/database";
import type { JsonObject } from "@gatehouse/json";
import type { ActiveEndpoint, ExposedEndpoint } from "../domain/endpoint.ts";

/** Longest list of endpoints. */
const endpointsMax = 10_000;

/** A project's active endpoints, oldest first, or the one with a slug. @throws GatewayError `unavailable` without the database */
export async function listActiveEndpoints(
  database: Database,
  projectUuid: string,
  slug?: string,
): Promise<readonly ActiveEndpoint[]> {
  const rows = await readRows<{ readonly slug: string; readonly created_at: Date }>(database, {
    name: "active-endpoints",
    text: `SELECT slug, created_at FROM endpoints
            WHERE project_uuid = $1 AND is_active AND ($2::text IS NULL OR slug = $2) ORDER BY id LIMIT ${endpointsMax}`,
    values: [projectUuid, slug ?? null],
  });
  return rows.map((row) => ({ slug: row.slug, createdAt: row.created_at }));
}

interface ExposedRecord {
  readonly slug: string;
  readonly description: string | null;
  readonly input_schema: JsonObject | null;
  /** Null also where it has no variables. */
  readonly system_prompt: string | null;
}

/**
 * A project's active exposed endpoints, by slug. Not cached: lists are rare, and the next one shows a change. @throws
 * GatewayError `unavailable` without the database
 */
export async function listExposedEndpoints(
  database: Database,
  projectUuid: string,
): Promise<readonly ExposedEndpoint[]> {
  const rows = await readRows<ExposedRecord>(database, {
    name: "exposed-endpoints",
    text: `SELECT slug, description, input_schema,
                  CASE WHEN strpos(system_prompt, '{{') > 0 THEN system_prompt END AS system_prompt
             FROM endpoints
            WHERE project_uuid = $1 AND is_active AND expose_as_mcp_tool ORDER BY slug COLLATE "C" LIMIT ${endpointsMax}`,
    values: [projectUuid],
  });
  return rows.map(({ input_schema: inputSchema, system_prompt: systemPrompt, ...row }) => ({
    ...row,
    inputSchema,
    systemPrompt,
  }));
}
