import { createHmac, randomBytes } from "node:crypto";
import type { TestDatabase } from "@gatehouse/postgres/testing";
import type { Keyring } from "@gatehouse/vault";
import pg from "pg";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { secretFaultError } from "../src/domain/delivery.ts";
import {
  createWebhook,
  endedDeliveries,
  newEvent,
  newKeyring,
  openTestDatabase,
  publish,
  type Receiver,
  type Replica,
  type ShownDelivery,
  startReceiver,
  startReplica,
  testConfig,
} from "./fixture.ts";

let receiver: Receiver;
let database: TestDatabase;
let replica: Replica | undefined;

beforeAll(async () => {
  receiver = await startReceiver();
});

beforeEach(async () => {
  database = await openTestDatabase();
});

afterEach(async () => {
  await stop();
  await database.drop();
});

afterAll(async () => await receiver.stop());

async function stop(): Promise<void> {
  const running = replica;
  replica = undefined;
  await running?.service.stop();
}

async function start(keyring: Keyring): Promise<Replica> {
  await stop();
  replica = await startReplica(testConfig(database.url, { keyring }));
  return replica;
}

const bodySignature = (secret: string, body: string) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

/** Sends a test and returns the request that arrived. */
async function arrival(from: Replica, webhookId: number) {
  await from.admin.call("svc_test_webhook", { webhook_id: webhookId });
  const last = receiver.arrivals.at(-1);
  return { body: last?.body ?? "", headers: (last?.headers ?? {}) as Record<string, string> };
}

interface Rotated {
  readonly secret: string;
  readonly previous_secret_expires_at: string;
}

test("a staged rotation signs with the old secret first, shows the new one's signature, and is promoted", async () => {
  const from = await start(newKeyring());
  const { id, secret: old } = await createWebhook(from, receiver.url);
  const rotation = { webhook_id: id, overlap_seconds: 3_600, staged: true, promote: false };
  const { secret: next, ...webhook } = await from.admin.call<Rotated>("svc_rotate_webhook_secret", rotation);
  expect(webhook).toMatchObject({ rotation_staged: true, secret_hint: next.slice(-4) });
  expect(Date.parse(webhook.previous_secret_expires_at)).toBeGreaterThan(Date.now());
  const staged = await arrival(from, id);
  expect(staged.headers["x-service-signature"]).toBe(bodySignature(old, staged.body));
  expect(staged.headers["x-service-signature-next"]).toBe(bodySignature(next, staged.body));
  for (const secret of [old, next]) new Webhook(secret).verify(staged.body, staged.headers);

  await from.admin.call("svc_rotate_webhook_secret", { webhook_id: id, promote: true });
  const promoted = await arrival(from, id);
  expect(promoted.headers["x-service-signature"]).toBe(bodySignature(next, promoted.body));
  expect(promoted.headers).not.toHaveProperty("x-service-signature-next");
  expect(() => new Webhook(old).verify(promoted.body, promoted.headers)).toThrow("No matching signature");
});

test("a rotation without an overlap ends the old secret", async () => {
  const from = await start(newKeyring());
  const { id, secret: old } = await createWebhook(from, receiver.url);
  const rotation = { webhook_id: id, overlap_seconds: 0 };
  const { secret: next } = await from.admin.call<Rotated>("svc_rotate_webhook_secret", rotation);
  const { body, headers } = await arrival(from, id);
  expect(headers["x-service-signature"]).toBe(bodySignature(next, body));
  expect(() => new Webhook(old).verify(body, headers)).toThrow("No matching signature");
});

test("with a new first key root keys are resealed and counted, without an effect on receivers", async () => {
  const oldKey = randomBytes(32);
  const first = await start({ currentId: "old", keys: new Map([["old", oldKey]]) });
  const { id, secret } = await createWebhook(first, receiver.url);
  await createWebhook(first, receiver.url);
  const both = new Map([
    ["new", randomBytes(32)],
    ["old", oldKey],
  ] as const);
  const second = await start({ currentId: "new", keys: both });
  const resealed = 'gatehouse_sealed_values{column="projects.sealed_root",key="current"} 2';
  await expect.poll(async () => await second.telemetry.metrics.metrics()).toContain(resealed);
  const third = await start({ currentId: "new", keys: new Map([...both].filter(([key]) => key === "new")) });
  expect(await third.service.readiness()).toEqual({ ready: true, problems: [] });
  expect(await third.telemetry.metrics.metrics()).toContain('gatehouse_webhook_roots{key_id="new"} 2');
  const { body, headers } = await arrival(third, id);
  new Webhook(secret).verify(body, headers);
});

test("with a wrong keyring nothing is sent, the records say why, and the service is not ready", async () => {
  const { id, project } = await createWebhook(await start(newKeyring()), receiver.url);
  const wrong = await start(newKeyring());
  const before = receiver.arrivals.length;
  expect(await wrong.service.readiness()).toMatchObject({ ready: false });
  await publish(wrong, newEvent(project));
  await expect.poll(async () => await endedDeliveries(wrong, id), { timeout: 5_000 }).toHaveLength(1);
  expect(await endedDeliveries(wrong, id)).toMatchObject([{ success: false, error: secretFaultError }]);
  expect(receiver.arrivals).toHaveLength(before);
  const { problems } = await wrong.service.readiness();
  expect(problems).toContain("the signing secrets of 1 webhooks cannot be derived");
});

/** A webhook whose stored digest does not match its secret, after an attempt to send to it. */
async function createFaulty(from: Replica) {
  const { id } = await createWebhook(from, receiver.url);
  await query("UPDATE webhook_dispatcher.webhooks SET secret_digest = sha256('x') WHERE id = $1", [id]);
  return { id, delivery: await from.admin.call<ShownDelivery>("svc_test_webhook", { webhook_id: id }) };
}

test("a stored digest that does not match its secret stops the webhook instead of signing wrongly", async () => {
  const { delivery } = await createFaulty(await start(newKeyring()));
  expect(delivery).toMatchObject({ success: false, error: secretFaultError });
});

test.each([
  ["deleted", "svc_delete_webhook", {}],
  ["switched off", "svc_set_webhook_active", { is_active: false }],
  ["given another secret", "svc_rotate_webhook_secret", { overlap_seconds: 0 }],
])("a webhook whose secret cannot be derived keeps the service unready until it is %s", async (_how, name, args) => {
  const from = await start(newKeyring());
  const { id } = await createFaulty(from);
  expect(await from.service.readiness()).toMatchObject({ ready: false });
  await from.admin.call(name, { webhook_id: id, ...args });
  await expect.poll(async () => await from.service.readiness(), { timeout: 15_000 }).toMatchObject({ ready: true });
});

test("the root of a deleted project is not asked for", async () => {
  const { id, project } = await createWebhook(await start(newKeyring()), receiver.url);
  await query("UPDATE webhook_dispatcher.projects SET deleted_at = now() WHERE uuid = $1", [project.uuid]);
  await query("UPDATE webhook_dispatcher.webhooks SET deleted_at = now() WHERE id = $1", [id]);
  const { problems } = await (await start(newKeyring())).service.readiness();
  expect(problems.filter((problem) => problem.includes("roots"))).toEqual([]);
});

test("no table holds a secret, or a root, in any form that opens without the keyring", async () => {
  const keyring = newKeyring();
  const from = await start(keyring);
  const { id, secret, project } = await createWebhook(from, receiver.url);
  const { secret: next } = await from.admin.call<Rotated>("svc_rotate_webhook_secret", { webhook_id: id });
  await publish(from, newEvent(project));
  await expect.poll(async () => await endedDeliveries(from, id), { timeout: 5_000 }).toHaveLength(1);
  await from.admin.call("svc_test_webhook", { webhook_id: id });
  const dump = await dumpEverything();
  expect(dump).toContain(project.uuid);
  for (const plain of [secret, next]) {
    const bytes = Buffer.from(plain.slice("whsec_".length), "base64url");
    for (const form of [plain, plain.slice(6), bytes.toString("hex"), bytes.toString("base64")]) {
      expect(dump).not.toContain(form);
    }
  }
  expect(dump).not.toContain("whsec_");
  for (const key of keyring.keys.values()) expect(dump).not.toContain(key.toString("base64"));
});

async function query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** Every row of every table of every schema, as text. */
async function dumpEverything(): Promise<string> {
  const tables = await query(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const rows = await query(`SELECT t::text AS line FROM ${String(name)} t`);
    parts.push(String(name), ...rows.map(({ line }) => String(line)));
  }
  return parts.join("\n");
}
