import { createHmac } from "node:crypto";
import type { TestDatabase } from "@gatehouse/postgres/testing";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Arrival,
  createWebhook,
  endedDeliveries,
  newEvent,
  newProject,
  openTestDatabase,
  publish,
  type Receiver,
  type Replica,
  type ShownDelivery,
  startReceiver,
  startReplica,
  testConfig,
} from "./fixture.ts";

let database: TestDatabase;
let replica: Replica;
let receiver: Receiver;

beforeAll(async () => {
  database = await openTestDatabase();
  replica = await startReplica(testConfig(database.url));
  receiver = await startReceiver();
});

afterAll(async () => {
  await replica.service.stop();
  await receiver.stop();
  await database.drop();
});

test("an event goes to its project's webhook, signed both ways, and is recorded", async () => {
  const { id, secret, project } = await createWebhook(replica, receiver.url);
  const event = newEvent(project);
  await publish(replica, event, newEvent(newProject("Another")));
  await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(1);

  const arrivals = receiver.arrivals.filter(({ body }) => body.includes(project.uuid));
  expect(arrivals).toHaveLength(1);
  const { headers, body }: Pick<Arrival, "headers" | "body"> = arrivals[0] ?? { headers: {}, body: "" };
  const hex = createHmac("sha256", secret).update(body).digest("hex");
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "x-service-event": "token.revoked",
    "x-service-signature": `sha256=${hex}`,
  });
  expect(JSON.parse(body)).toEqual({
    event: "token.revoked",
    severity: "warn",
    actor: "admin_key:ops",
    project: { id: project.id, name: "Acme", uuid: project.uuid },
    target: "ci",
    metadata: { token_id: 7 },
    ip_address: "192.0.2.7",
    occurred_at: event.occurredAt,
  });
  new Webhook(secret).verify(body, headers as Record<string, string>);

  const [delivery] = await endedDeliveries(replica, id);
  expect(delivery).toMatchObject({
    webhook_id: id,
    uuid: headers["x-service-delivery"],
    event: "token.revoked",
    success: true,
    http_status: 200,
    request_body: body,
    response_body: "thanks",
    error: null,
  });
});

test("a record keeps the headers of the reply, without their secrets", async () => {
  const answering = await startReceiver((_arrival, res) => {
    res.writeHead(503, { "retry-after": "7", "set-cookie": ["a=hush", "b=hush"], "x-request-id": "r-1" }).end();
  });
  const { id } = await createWebhook(replica, answering.url);
  const delivery = await replica.admin.call<ShownDelivery>("svc_test_webhook", { webhook_id: id });
  expect(delivery["response_headers"]).toMatchObject({
    "retry-after": "7",
    "set-cookie": "(not kept)",
    "x-request-id": "r-1",
  });
  expect(JSON.stringify(delivery)).not.toContain("hush");
  await answering.stop();
});

test("an event that the database refuses delays no other", async () => {
  const { id, project } = await createWebhook(replica, receiver.url);
  const refused = newEvent(newProject("A\0me"));
  await publish(replica, newEvent(project), refused, newEvent(project));
  await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(2);
});
