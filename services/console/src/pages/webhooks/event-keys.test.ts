import { catalogue } from "@gatehouse/audit";
import { operations } from "@gatehouse/cli/operations";
import { expect, test } from "vitest";
import type { JsonSchema } from "../../api/json-schema.ts";
import { choosableEvents, isBeyondReach } from "./event-keys.ts";

const create = operations.find(({ name }) => name === "svc_create_webhook")?.inputSchema as JsonSchema | undefined;
const keys = create?.properties?.["events"]?.items?.enum ?? [];

test("administrators of the whole gateway may choose every event", () => {
  expect(keys.length).toBeGreaterThan(40);
  expect(choosableEvents(keys, false)).toEqual(keys);
});

test("administrators of named projects may choose events of projects only, as the catalogue has them", () => {
  const ofProjects = Object.entries(catalogue).flatMap(([key, { about }]) => (about === "project" ? [key] : []));
  expect(choosableEvents(keys, true)).toEqual(ofProjects.filter((key) => key !== "project.created"));
});

test("a webhook with an event of the whole gateway is beyond the reach of administrators of named projects", () => {
  const wide = { events: ["token.created", "auth.session_ended"] };
  expect([isBeyondReach(wide, true), isBeyondReach(wide, false)]).toEqual([true, false]);
  expect(isBeyondReach({ events: ["token.created"] }, true)).toBe(false);
});
