import { randomUUID } from "node:crypto";
import { findDisagreement, openTestAdmin } from "@gatehouse/admin/testing";
import { createInProcessTransport } from "@gatehouse/events";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import type { AdminServiceDefinition } from "@gatehouse/proto/admin";
import type { RpcBinding } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { thingOperations } from "../src/admin/thing-operations.ts";
import { createTemplateService } from "../src/app.ts";

let database: TestDatabase;
let service: Service;

beforeAll(async () => {
  database = await createTestDatabase();
  const config = { databaseUrl: new Secret(database.url), databaseConnectionsMax: 4 };
  const host = { telemetry: createSilentTelemetry(), events: createInProcessTransport() };
  service = createTemplateService(config, host);
  await service.start();
});

afterAll(async () => {
  await service.stop();
  await database.drop();
});

test.each(thingOperations)("$name enforces what its schema says", (operation) => {
  expect(findDisagreement(operation)).toBeUndefined();
});

test("a thing that is created is listed, until its project is deleted", async () => {
  const admin = openTestAdmin(service.rpc[0] as unknown as RpcBinding<typeof AdminServiceDefinition>);
  const project = randomUUID();
  const created = await admin.call("svc_create_thing", { project, name: "first" });
  expect(created).toMatchObject({ project, name: "first" });
  expect(await admin.call("svc_list_things", { project })).toMatchObject({ things: [created] });
  await admin.deleteProject(project);
  expect(await admin.call("svc_list_things", { project })).toMatchObject({ things: [] });
  expect(await service.readiness()).toEqual({ ready: true, problems: [] });
});
