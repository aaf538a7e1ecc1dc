import { withConnection } from "@gatehouse/postgres/testing";
import { hashToken } from "@gatehouse/principal";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, run, startControlPlane, type TestControlPlane } from "./control-plane.ts";

let plane: TestControlPlane;
beforeAll(async () => void (plane = await startControlPlane()));
afterAll(async () => await plane.stop());

const ask = async (sql: string) => await withConnection(plane.databaseUrl, async (client) => await client.query(sql));

/** As after the first statements of `pg_restore --clean`, while sessions are open. */
async function withoutTables(work: () => Promise<void>): Promise<void> {
  await ask("ALTER SCHEMA control_plane RENAME TO dropped; CREATE SCHEMA control_plane");
  try {
    await work();
  } finally {
    await ask("DROP SCHEMA control_plane; ALTER SCHEMA dropped RENAME TO control_plane");
  }
}

test("while a restore has dropped the tables, operations and tokens fail as in an outage, and work afterwards", async () => {
  const { uuid: project } = await run<{ uuid: string }>(plane.service, "svc_create_project", {
    name: "Shop",
    project_type: "ai_gateway",
  });
  const args = { project, name: "t", scopes: ["chat"] };
  const { token } = await run<{ token: string }>(plane.service, "svc_create_token", args);
  const resolve = async () => await plane.principals.resolveToken({ tokenHash: hashToken(token) });
  const operations = [
    ["svc_list_projects", {}],
    ["svc_create_project", { name: "Other", project_type: "ai_gateway" }],
    ["svc_update_project", { project, rate_limit_per_hour: 7 }],
    ["svc_create_token", args],
  ] as const;
  await withoutTables(async () => {
    for (const [name, given] of operations) {
      const { error } = await call(plane.service, name, given);
      expect(error, name).toMatchObject({
        code: -32_603,
        message: "The database is not available.",
        data: { retry_after: 1 },
      });
    }
    await expect(resolve()).rejects.toMatchObject({ code: "unavailable" });
  });
  // A session that was begun meanwhile was refused, which stands until the next attempt.
  await expect
    .poll(async () => (await call(plane.service, "svc_list_projects", {})).error, { timeout: 10_000 })
    .toBeUndefined();
  for (const [name, given] of operations) await run(plane.service, name, given);
  expect(await resolve()).toMatchObject({ principal: { tokenId: expect.any(Number) as number } });
});
