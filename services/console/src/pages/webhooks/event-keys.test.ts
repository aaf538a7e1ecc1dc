import { operations } from "@gatehouse/cli/operations";
import { expect, test } from "vitest";
import type { JsonSchema } from "../../api/json-schema.ts";
import { choosableEvents } from "./event-keys.ts";

const create = operations.find(({ name }) => name === "svc_create_webhook")?.inputSchema as JsonSchema | undefined;
const keys = create?.properties?.["events"]?.items?.enum ?? [];

test("all events are for people of the whole gateway", () => {
  expect(keys.length).toBeGreaterThan(40);
  expect(choosableEvents(keys, false)).toEqual(keys);
});

test("people of named projects are offered the events of projects alone", () => {
  const offered = choosableEvents(keys, true);
  expect(offered).toEqual(expect.arrayContaining(["project.updated", "token.created", "upstream.created"]));
  expect(offered).not.toEqual(expect.arrayContaining(["project.created"]));
  expect(offered.filter((key) => /^(?:provider|credential|admin_key|auth|backup)\./.test(key))).toEqual([]);
});
