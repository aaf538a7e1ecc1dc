import { expect, test } from "vitest";
import type { NewAuditEvent } from "./audit-event.ts";
import { catalogue, type EventKey } from "./catalogue.ts";
import { checkEvent } from "./check-event.ts";

const project = { id: 1, uuid: "3f0e3d1c-6f3b-4ce5-9d5c-0d3b8d1f2a10", name: "Shop" };
const event = (changes: Partial<NewAuditEvent>): NewAuditEvent => ({
  event: "token.created",
  actor: "system",
  project,
  target: "key",
  metadata: { token_id: 1 },
  ipAddress: "",
  ...changes,
});

test("an event that follows the catalogue passes", () => {
  expect(() => checkEvent(event({}))).not.toThrow();
  expect(() => checkEvent(event({ event: "backup.exported", project: null, metadata: {} }))).not.toThrow();
});

test("an unknown key, a missing field and an unknown field are refused without their values", () => {
  expect(() => checkEvent(event({ event: "token.eaten" as EventKey }))).toThrow("not an event of the catalogue");
  expect(() => checkEvent(event({ metadata: {} }))).toThrow("must have required property 'token_id'");
  expect(() => checkEvent(event({ metadata: { token_id: 1, secret: "hunter2" } }))).toThrow(/^(?!.*hunter2).*secret/);
});

test("an event of the whole gateway is refused with a project", () => {
  expect(() => checkEvent(event({ event: "backup.exported", metadata: {} }))).toThrow("must not name a project");
});

test.each(Object.entries(catalogue))("the metadata schema of %s admits no other fields", (_key, { metadata }) => {
  expect(metadata).toMatchObject({ type: "object", additionalProperties: false });
});
