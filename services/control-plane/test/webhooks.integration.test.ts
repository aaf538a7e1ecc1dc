import { connectLocally } from "@gatehouse/rpc";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusal, run, startControlPlane, type TestControlPlane } from "./control-plane.ts";
import { createFakeWebhooks, type FakeWebhooks } from "./fake-webhooks.ts";

let plane: TestControlPlane;
let webhooks: FakeWebhooks;
let project: { readonly uuid: string; readonly id: number; readonly name: string };

beforeAll(async () => {
  webhooks = createFakeWebhooks();
  plane = await startControlPlane({ peers: { webhooks: connectLocally(webhooks.binding) } });
  project = await run(plane.service, "svc_create_project", { name: "Acme", project_type: "ai_gateway" });
});

afterAll(async () => await plane.stop());

const created = { name: "ops", url: "https://hooks.example/in", events: ["token.revoked"] };

async function createWebhook(): Promise<{ readonly id: number; readonly secret: string }> {
  return await run(plane.service, "svc_create_webhook", { project: project.uuid, ...created });
}

test("a new webhook is shown in the contract's form, with its secret", async () => {
  const webhook = await createWebhook();
  expect(webhook).toEqual({
    id: expect.any(Number),
    project: project.uuid,
    ...created,
    is_active: true,
    secret_hint: "wxyz",
    previous_secret_expires_at: null,
    rotation_staged: false,
    created_at: "2026-11-21T08:00:00.000Z",
    updated_at: "2026-11-21T08:00:00.000Z",
    secret: "whsec_new",
  });
  expect(webhooks.origins.at(-1)).toMatchObject({ actor: "admin_key:initial", project: { uuid: project.uuid } });
});

test("the secret is in no later answer", async () => {
  const { id } = await createWebhook();
  const answers = [
    await run(plane.service, "svc_list_webhooks", { project: project.uuid }),
    await run(plane.service, "svc_update_webhook", { webhook_id: id, name: "renamed" }),
    await run(plane.service, "svc_set_webhook_active", { webhook_id: id, is_active: false }),
    await run(plane.service, "svc_rotate_webhook_secret", { webhook_id: id, promote: true }),
  ];
  expect(answers[1]).toMatchObject({ name: "renamed", url: created.url, events: created.events });
  expect(answers[2]).toMatchObject({ is_active: false });
  expect(JSON.stringify(answers)).not.toContain("whsec_");
});

test("a rotation gives the new secret, once", async () => {
  const { id } = await createWebhook();
  const rotated = await run(plane.service, "svc_rotate_webhook_secret", { webhook_id: id, staged: true });
  expect(rotated).toMatchObject({ secret: "whsec_rotated", rotation_staged: true });
});

test("deliveries are shown in the contract's form", async () => {
  const { id } = await createWebhook();
  const { deliveries } = await run<{ deliveries: object[] }>(plane.service, "svc_list_deliveries", { webhook_id: id });
  expect(deliveries[0]).toEqual({
    id: 1,
    uuid: "3d5c7e2a-7c4f-4d0e-9f0b-4a1d7f6f2b11",
    webhook_id: id,
    event: "token.revoked",
    state: "done",
    success: false,
    http_status: 500,
    request_body: "{}",
    request_body_truncated: false,
    response_body: "no",
    response_body_truncated: true,
    error: "The receiver answered 500.",
    attempted_at: "2026-11-21T08:00:00.000Z",
    duration_ms: 12,
    timing: { queue: 3 },
    redelivery_of: null,
  });
  expect(await run(plane.service, "svc_redeliver", { delivery_id: 1 })).toMatchObject({ id: 3, redelivery_of: 1 });
  expect(await run(plane.service, "svc_test_webhook", { webhook_id: id })).toMatchObject({ event: "webhook.test" });
});

test("a deleted webhook is found no more", async () => {
  const { id } = await createWebhook();
  expect(await run(plane.service, "svc_delete_webhook", { webhook_id: id })).toMatchObject({ id, deleted: true });
  expect(await refusal(plane.service, "svc_list_deliveries", { webhook_id: id })).toBe(
    `-32602 Webhook not found: ${id}`,
  );
});

test.each([
  ["svc_create_webhook", { project: "nobody" }, "Missing required argument: name"],
  ["svc_create_webhook", { project: "nobody", ...created }, "Project not found: nobody"],
  ["svc_create_webhook", { ...created, events: [] }, "Missing required argument: project"],
  ["svc_update_webhook", { webhook_id: 1, events: [] }, "events must have from 1 to 200 items"],
  ["svc_update_webhook", { webhook_id: 2 ** 40 }, `Webhook not found: ${2 ** 40}`],
  ["svc_set_webhook_active", { webhook_id: 1, is_active: "yes" }, "is_active must be boolean"],
  ["svc_rotate_webhook_secret", { webhook_id: 1, overlap_seconds: -1 }, "overlap_seconds must be from 0 to 604800"],
  ["svc_test_webhook", { webhook_id: 99_999 }, "Webhook not found: 99999"],
  ["svc_redeliver", { delivery_id: 99_999 }, "Delivery not found: 99999"],
  ["svc_redeliver", { delivery_id: -1 }, "Delivery not found: -1"],
])("%s with %j is refused: %s", async (name, args, message) => {
  expect(await refusal(plane.service, name, args)).toBe(`-32602 ${message}`);
});
