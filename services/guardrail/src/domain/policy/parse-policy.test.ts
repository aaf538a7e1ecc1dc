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
  expect(() => parsePolicy({ surfaces: [] })).toThrow(
    "surfaces must name one; leave it out for that of the project's type.",
  );
  expect(parsePolicy({ surfaces: ["api"] }).surfaces).toEqual(["api"]);
  expect(() => parsePolicy({ surfaces: ["web"] })).toThrow("surfaces[0] must be one of: chat, mcp, api.");
});

const withSecret = (secret: string, kind = "http") =>
  parsePolicy({ external: [{ name: "own", kind, url: "https://guard.example/", secret }] });

test.each(["whsec_!!", "whsec_", "whsec_QUJD", `whsec_${"A".repeat(40)}=0`, `whsec_${"A".repeat(40)} `])(
  "a secret that gives no signing key is refused: %s",
  (secret) => {
    expect(() => withSecret(secret)).toThrow(
      "external[0] has a secret that begins with whsec_ and must go on with base64 of at least 24 bytes.",
    );
    expect(withSecret(secret, "presidio").external[0]?.secret).toBe(secret);
  },
);

test.each([`whsec_${"-_".repeat(22)}`, `whsec_${"A".repeat(43)}=`, "env:GUARD", "another key"])(
  "a secret that gives a signing key is taken: %s",
  (secret) => {
    expect(withSecret(secret).external[0]?.secret).toBe(secret);
  },
);
