import { type Database, toDatabaseError } from "@gatehouse/database";

export interface ActiveEndpoint {
  readonly slug: string;
  readonly createdAt: Date;
}

/** Endpoints that a list of models names at most. */
const endpointsMax = 10_000;

/** A project's active endpoints, oldest first. @throws GatewayError `unavailable` where the database is away. */
export async function listActiveEndpoints({ pool }: Database, projectUuid: string): Promise<readonly ActiveEndpoint[]> {
  try {
    const { rows } = await pool.query<{ readonly slug: string; readonly created_at: Date }>({
      name: "active-endpoints",
      text: `SELECT slug, created_at FROM endpoints WHERE project_uuid = $1 AND is_active ORDER BY id LIMIT ${endpointsMax}`,
      values: [projectUuid],
    });
    return rows.map((row) => ({ slug: row.slug, createdAt: row.created_at }));
  } catch (err) {
    throw toDatabaseError(err);
  }
}
