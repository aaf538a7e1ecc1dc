import { expect, test } from "vitest";
import { readAuditEvent } from "./read-audit-event.ts";

const project = { id: 1, uuid: "7b0e8d3a-0000-4000-8000-000000000000", name: "shop" };
const event = {
  id: "7b0e8d3a-0000-4000-8000-000000000001",
  event: "token.deleted",
  severity: "notice",
  actor: "admin_key:ops",
  project,
  target: "app",
  metadata: { token_id: 7 },
  ipAddress: "192.0.2.7",
  traceparent: "",
  occurredAt: "2026-11-27T00:00:00.000Z",
  source: { service: "control-plane", number: 1 },
};

test("an event is read as it was published, also with a later version's key", () => {
  for (const given of [event, { ...event, project: null }, { ...event, event: "later.version", severity: "later" }]) {
    expect(readAuditEvent(JSON.stringify(given))).toEqual(given);
  }
});

test("absent optional fields are read as empty", () => {
  const { target: _target, metadata: _metadata, ipAddress: _address, traceparent: _trace, ...rest } = event;
  const empty = { target: "", metadata: {}, ipAddress: "", traceparent: "" };
  expect(readAuditEvent(JSON.stringify(rest))).toEqual({ ...rest, ...empty });
  expect(readAuditEvent(JSON.stringify({ ...event, target: null, metadata: null }))).toEqual({
    ...event,
    target: "",
    metadata: {},
  });
});

test.each([
  ["{", "An audit event is not an object."],
  ["null", "An audit event is not an object."],
  ['"token.deleted"', "An audit event is not an object."],
  ["{}", "An audit event has no id."],
  [JSON.stringify({ ...event, id: "" }), "An audit event has no id."],
  [JSON.stringify({ ...event, event: 1 }), "An audit event has no event."],
  [JSON.stringify({ ...event, target: 1 }), "An audit event has no target."],
  [JSON.stringify({ ...event, occurredAt: "secret" }), "An audit event has no valid occurredAt."],
  [JSON.stringify({ ...event, project: undefined }), "An audit event has no project."],
  [JSON.stringify({ ...event, project: { ...project, uuid: 1 } }), "An audit event has no project.uuid."],
  [JSON.stringify({ ...event, project: { id: 1, uuid: "u" } }), "An audit event has no project.name."],
])("%s is not an event, and the error quotes nothing of it", (body, message) => {
  expect(readAuditEvent(body)).toEqual(new Error(message));
});
