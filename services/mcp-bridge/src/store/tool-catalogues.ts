import { answered, type Database, reading } from "@gatehouse/database";
import type { McpTool } from "@gatehouse/mcp";
import type { ToolCatalogueStore } from "../domain/bridge-tool.ts";

/** Short, since chat's time-out has used up most of the caller's time, milliseconds. */
const recallTimeoutMs = 300;

/** Store of the last known tools. @throws GatewayError `unavailable` without the database, from each method */
export function createToolCatalogueStore({ pool }: Database): ToolCatalogueStore {
  return {
    async find(projectUuid) {
      const text = "SELECT tools FROM tool_catalogues WHERE project_uuid = $1";
      // The column holds what `save` wrote.
      const ask = async () => await pool.query<{ tools: readonly McpTool[] }>(text, [projectUuid]);
      const { rows } = await reading(async () => await answered(ask, { timeoutMs: recallTimeoutMs }));
      return rows[0]?.tools;
    },
    async save(projectUuid, tools, listedAt) {
      const text = `INSERT INTO tool_catalogues (project_uuid, tools, listed_at) VALUES ($1, $2, $3)
        ON CONFLICT (project_uuid) DO UPDATE SET tools = excluded.tools, listed_at = excluded.listed_at
        WHERE tool_catalogues.listed_at <= excluded.listed_at`;
      const values = [projectUuid, JSON.stringify(tools), listedAt];
      const { rowCount } = await reading(async () => await pool.query(text, values));
      return rowCount === 1;
    },
    async prune(before) {
      await reading(async () => await pool.query("DELETE FROM tool_catalogues WHERE listed_at < $1", [before]));
    },
  };
}
