import { lapse } from "@gatehouse/async/testing";
import { openDatabase } from "@gatehouse/database";
import type { TestDatabase } from "@gatehouse/postgres/testing";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDeliveryMetrics } from "../src/metrics.ts";
import type { WebhookDispatcherConfig } from "../src/program.ts";
import { WebhookMaintenance } from "../src/workers/webhook-maintenance.ts";
import { createIdle, openTestDatabase, startReplica, testConfig } from "./fixture.ts";

let database: TestDatabase;
let config: WebhookDispatcherConfig;
let client: pg.Client;

beforeEach(async () => {
  database = await openTestDatabase();
  config = testConfig(database.url);
  await (await createIdle(config)).service.stop();
  client = new pg.Client({ connectionString: database.url, options: "-c search_path=webhook_dispatcher" });
  await client.connect();
});

afterEach(async () => {
  await client.end();
  await database.drop();
});

const waitsFor = (table: string) =>
  client.query("SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass", [table]);

test("a start does not wait for the removal of old data", async () => {
  await client.query("BEGIN");
  await client.query("LOCK TABLE events IN SHARE MODE");
  const replica = await startReplica(config);
  expect(await replica.service.readiness()).toMatchObject({ ready: true });
  await client.query("COMMIT");
  await replica.service.stop();
});

test.each(["webhooks", "deliveries"])(
  "a stop waits for the work that waits for %s, while other work continues",
  async (table) => {
    const { log, metrics } = createSilentTelemetry();
    const own = openDatabase({ url: new Secret(database.url), schema: "webhook_dispatcher", connectionsMax: 4, log });
    const maintenance = new WebhookMaintenance({
      database: own,
      keys: { opens: () => true },
      canSign: () => true,
      metrics: createDeliveryMetrics(metrics),
      log,
      retentionDays: 30,
      intervals: { removeMs: 1, checkMs: 1 },
    });
    await maintenance.start();
    await client.query("BEGIN");
    await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await expect.poll(async () => (await waitsFor(table)).rowCount).toBe(1);
    await lapse(50, "the other work is done again meanwhile");
    const order: string[] = [];
    const stopped = maintenance.stop().then(() => order.push("stopped"));
    await lapse(100, "a span in which the stop is not to end");
    order.push("unlocked");
    await client.query("COMMIT");
    await stopped;
    expect(order).toEqual(["unlocked", "stopped"]);
    await own.close();
  },
);
