import type { AuditEvent } from "@gatehouse/audit";
import { createInProcessTransport, type EventTransport } from "@gatehouse/events";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import { hashToken } from "@gatehouse/principal";
import { Secret } from "@gatehouse/vault";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { refusal, run, startControlPlane, type TestControlPlane } from "./control-plane.ts";

let plane: TestControlPlane;
let now = new Date();
const told: AuditEvent[] = [];

function createListeningTransport(events: AuditEvent[]): EventTransport {
  const transport = createInProcessTransport();
  for (const name of ["logbook", "webhook-dispatcher"]) {
    transport.consume({
      stream: "audit",
      name,
      batchSizeMax: 100,
      store: async (messages) => {
        if (name === "logbook") events.push(...messages.map(({ body }) => JSON.parse(body) as AuditEvent));
        return await Promise.resolve();
      },
    });
  }
  return transport;
}

beforeAll(async () => {
  plane = await startControlPlane({ events: createListeningTransport(told), wallNow: () => now.getTime() });
  await eventsUntil("admin_key.created");
});
afterAll(async () => await plane.stop());
beforeEach(() => {
  told.length = 0;
});

/** Events up to the first of a key, in the order of the changes. */
async function eventsUntil(key: string): Promise<AuditEvent[]> {
  await vi.waitFor(() => expect(told.map(({ event }) => event)).toContain(key), { timeout: 10_000 });
  return told.splice(0, told.findIndex(({ event }) => event === key) + 1);
}

async function createProject() {
  return await run<{ id: number; uuid: string; name: string }>(plane.service, "svc_create_project", {
    name: "Shop",
    project_type: "ai_gateway",
  });
}

test("a project's changes are audited with its reference, the initiator and the changed fields", async () => {
  const { id, uuid } = await createProject();
  await run(plane.service, "svc_update_project", { project: uuid, name: "Store", rate_limit_per_minute: 600 });
  await run(plane.service, "svc_update_project", { project: uuid, name: "Store" });
  await run(plane.service, "svc_delete_project", { project: uuid });
  const events = await eventsUntil("project.deleted");
  expect(events.map(({ event, project, target, metadata }) => ({ event, project, target, metadata }))).toEqual([
    {
      event: "project.created",
      project: { id, uuid, name: "Shop" },
      target: "Shop",
      metadata: { project_type: "ai_gateway" },
    },
    {
      event: "project.updated",
      project: { id, uuid, name: "Store" },
      target: "Store",
      metadata: { project_type: "ai_gateway", changed: ["name"] },
    },
    {
      event: "project.deleted",
      project: { id, uuid, name: "Store" },
      target: "Store",
      metadata: { project_type: "ai_gateway" },
    },
  ]);
  expect(events[0]).toMatchObject({ actor: "admin_key:initial", ipAddress: "127.0.0.1", severity: "info" });
});

test("a token's changes are audited; revoking it again, and what is refused, are not", async () => {
  const { uuid } = await createProject();
  const { id } = await run<{ id: number }>(plane.service, "svc_create_token", {
    project: uuid,
    name: "t",
    scopes: ["chat"],
  });
  await run(plane.service, "svc_update_token", { token_id: id, rate_limit_per_minute: 5 });
  await run(plane.service, "svc_update_token", { token_id: id, name: "t", rate_limit_per_minute: 5, expires_at: null });
  await run(plane.service, "svc_rotate_token", { token_id: id });
  await run(plane.service, "svc_revoke_token", { token_id: id });
  await run(plane.service, "svc_revoke_token", { token_id: id });
  expect(await refusal(plane.service, "svc_rotate_token", { token_id: id })).toContain("Token is revoked");
  await run(plane.service, "svc_delete_token", { token_id: id });
  const events = await eventsUntil("token.deleted");
  expect(events.map(({ event, severity }) => [event, severity])).toEqual([
    ["project.created", "info"],
    ["token.created", "info"],
    ["token.updated", "info"],
    ["token.rotated", "info"],
    ["token.revoked", "warn"],
    ["token.deleted", "warn"],
  ]);
  expect(events[2]?.metadata).toMatchObject({ token_id: id, changed: ["rate_limit_per_minute"] });
  expect(events[4]).toMatchObject({
    target: "t",
    project: { uuid, name: "Shop" },
    metadata: { token_id: id, environment: "live", scopes: ["chat"] },
  });
});

test("failed logins are audited up to a bound, and then the number of further ones", async () => {
  const attempt = async () => {
    const request = { keyHash: hashToken("svc_admin_wrong"), ipAddress: "203.0.113.9" };
    expect((await plane.principals.resolveAdminKey(request)).adminKey).toBeUndefined();
  };
  for (let count = 0; count < 9; count++) await attempt();
  now = new Date(now.getTime() + 60_000);
  await attempt();
  await createProject();
  const failures = (await eventsUntil("project.created")).slice(0, -1);
  expect(failures).toHaveLength(6);
  expect(failures[0]).toMatchObject({
    event: "auth.login_failed",
    severity: "warn",
    actor: "unknown",
    project: null,
    ipAddress: "203.0.113.9",
    metadata: { reason: "The admin key is unknown or switched off." },
  });
  expect(failures[5]?.metadata["attempts_unrecorded"]).toBe(4);
});

test("an export of the configuration is audited", async () => {
  const events: AuditEvent[] = [];
  const plain = await startControlPlane({ events: createListeningTransport(events) });
  await run(plain.service, "svc_export_backup", {});
  await vi.waitFor(() =>
    expect(events.at(-1)).toMatchObject({ event: "backup.exported", project: null, metadata: {} }),
  );
  await plain.stop();
});

test("an admin key that the environment replaces or removes is audited as revoked, the new one as created", async () => {
  const world = await createTestDatabase();
  for (const key of ["svc_admin_first_first", "svc_admin_first_first", "svc_admin_other_other", undefined]) {
    const adminKey = key === undefined ? undefined : new Secret(key);
    await (await startControlPlane({ databaseUrl: world.url, config: { adminKey } })).stop();
  }
  const client = new pg.Client({ connectionString: world.url });
  await client.connect();
  const { rows } = await client.query<{ body: string }>("SELECT body FROM control_plane.audit_outbox ORDER BY seq");
  await client.end();
  await world.drop();
  const events = rows.map(({ body }) => JSON.parse(body) as AuditEvent);
  expect(events.map(({ event, target, actor }) => [event, target, actor])).toEqual([
    ["admin_key.created", "environment", "system"],
    ["admin_key.revoked", "environment", "system"],
    ["admin_key.created", "environment", "system"],
    ["admin_key.revoked", "environment", "system"],
    ["admin_key.created", "initial", "system"],
  ]);
});

test("an admin key's changes are audited with its name and the initiator", async () => {
  const { id } = await run<{ id: number }>(plane.service, "svc_create_admin_key", { name: "robot", role: "viewer" });
  await run(plane.service, "svc_rotate_admin_key", { admin_key_id: id });
  await run(plane.service, "svc_revoke_admin_key", { admin_key_id: id });
  await run(plane.service, "svc_revoke_admin_key", { admin_key_id: id });
  const events = await eventsUntil("admin_key.revoked");
  expect(
    events.map(({ event, actor, target, project, metadata }) => [event, actor, target, project, metadata]),
  ).toEqual(
    ["created", "rotated", "revoked"].map((what) => [
      `admin_key.${what}`,
      "admin_key:initial",
      "robot",
      null,
      { admin_key_id: id },
    ]),
  );
});
