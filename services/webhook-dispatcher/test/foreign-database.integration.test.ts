import { replaceDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWebhook, endedDeliveries, openTestDatabase, type Replica, startReplica, testConfig } from "./fixture.ts";

let database: TestDatabase;
let replica: Replica;
beforeAll(async () => {
  database = await openTestDatabase();
  replica = await startReplica(testConfig(database.url));
});
afterAll(async () => {
  await replica.service.stop();
  await database.drop();
});

test("calls are unavailable with the reason while an empty database is in the place of theirs, and go on when it is back", async () => {
  const { admin } = replica;
  const { id, project } = await createWebhook(replica, "http://127.0.0.1:9/hook");
  const bringBack = await replaceDatabase(database.url, "empty");
  const byPrisma = async () => await admin.call("svc_list_webhooks", { project: project.uuid }, project);
  const bySql = async () => await endedDeliveries(replica, id);
  const detail = expect.stringContaining("has no tables of this service (schema webhook_dispatcher)") as string;
  for (const call of [byPrisma, bySql]) {
    await expect
      .poll(async () => await call().catch((err: unknown) => err), { timeout: 5_000 })
      .toMatchObject({ code: "unavailable", details: { detail } });
  }
  await bringBack();
  await expect
    .poll(async () => await byPrisma().catch(() => undefined), { timeout: 5_000 })
    .toMatchObject({
      webhooks: [{ id }],
    });
  expect(await bySql()).toEqual([]);
});
