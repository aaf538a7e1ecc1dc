import { expect, test } from "vitest";
import { defaultEntities } from "./entity-names.ts";
import { parsePolicy } from "./parse-policy.ts";

const entitiesOf = (entities: unknown) => parsePolicy({ pii: { mode: "block", entities } }).pii.entities;

test.each([
  [
    ["email", "phone_number"],
    ["email", "phone_number"],
  ],
  [
    ["E-Mail", "Credit card", "API key", "IP address"],
    ["email", "credit_card", "api_key", "ip_address"],
  ],
  [
    ["e_mail", "PHONE", "ip", "card"],
    ["email", "phone_number", "ip_address", "credit_card"],
  ],
  [["national_id.us"], ["national_id.us"]],
  [["email", "E-Mail"], ["email"]],
])("entities %j are %j", (given, meant) => {
  expect(entitiesOf(given)).toEqual(meant);
});

test("`national_id` without a country selects every country, and the default entities have none", () => {
  expect(entitiesOf(["National ID"])).toContain("national_id.us");
  expect(entitiesOf(["national_id"]).every((name) => name.startsWith("national_id."))).toBe(true);
  expect(entitiesOf(undefined)).toEqual(defaultEntities);
  expect(defaultEntities.some((name) => name.startsWith("national_id"))).toBe(false);
});

test("an entity with an action other than off is sought, and an action for identity numbers keeps the named countries", () => {
  const withActions = (pii: object) => parsePolicy({ pii: { mode: "off", ...pii } }).pii.entities;
  expect(withActions({ entities: ["email"], actions: { credit_card: "block", iban: "off" } })).toEqual([
    "email",
    "credit_card",
  ]);
  expect(withActions({ actions: { person_name: "mask" } })).toEqual([...defaultEntities, "person_name"]);
  expect(withActions({ entities: ["national_id.us"], actions: { national_id: "block" } })).toEqual(["national_id.us"]);
  expect(withActions({ entities: ["email"], actions: { national_id: "log" } })).toContain("national_id.fr");
});

test.each([[["emial"]], [["national_id.atlantis"]], [["constructor"]], [[7]]])("entities %j are refused", (given) => {
  expect(() => entitiesOf(given)).toThrow("pii.entities[0]");
});

test("a policy covers chat by default, and otherwise its named surfaces", () => {
  expect(parsePolicy({}).surfaces).toEqual(["chat"]);
  expect(parsePolicy({ surfaces: ["mcp", "chat", "mcp"] }).surfaces).toEqual(["chat", "mcp"]);
  expect(() => parsePolicy({ surfaces: [] })).toThrow("surfaces must name at least one; leave it out for chat alone.");
  expect(parsePolicy({ surfaces: ["api"] }).surfaces).toEqual(["api"]);
  expect(() => parsePolicy({ surfaces: ["web"] })).toThrow("surfaces[0] must be one of: chat, mcp, api.");
});
