import { operations } from "@gatehouse/cli/operations";
import { expect, test } from "vitest";
import type { JsonSchema } from "../../api/json-schema.ts";
import { choosableEvents } from "./event-keys.ts";

const create = operations.find(({ name }) => name === "svc_create_webhook")?.inputSchema as JsonSchema | undefined;
const keys = create?.properties?.["events"]?.items?.enum ?? [];

test("administrators of the whole gateway may choose every event", () => {
  expect(keys.length).toBeGreaterThan(40);
  expect(choosableEvents(keys, false)).toEqual(keys);
});

test("administrators of named projects may choose events of projects only", () => {
  const offered = choosableEvents(keys, true);
  expect(offered).toEqual(expect.arrayContaining(["project.updated", "token.created", "upstream.created"]));
  expect(offered).not.toEqual(expect.arrayContaining(["project.created"]));
  expect(offered.filter((key) => /^(?:provider|credential|admin_key|auth|backup)\./.test(key))).toEqual([]);
});
