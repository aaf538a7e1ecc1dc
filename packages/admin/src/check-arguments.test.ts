import { isGatewayError } from "@gatehouse/errors";
import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  array,
  atLeastOneOf,
  boolean,
  createArgumentsCheck,
  defineOperation,
  discriminatedUnion,
  dollars,
  exactlyOneOf,
  integer,
  jsonObject,
  type JsonObject,
  matching,
  nameOrId,
  nullable,
  object,
  oneOf,
  optional,
  page,
  slug,
  string,
} from "./index.ts";
import { looseObject } from "./schemas.ts";

const colours = Array.from("abcdefghijklmnopqrst", (letter) => `colour.${letter}`);
const item = object({ model: string({ description: "A model.", lengthMax: 3 }) });
const operation = defineOperation({
  name: "svc_test",
  description: "For tests.",
  output: looseObject(),
  access: { right: "read", scope: "project" },
  input: object({
    name: string({ description: "A name.", lengthMax: 5 }),
    scopes: array(oneOf("A scope.", ["chat", "mcp"]), {
      description: "Scopes.",
      min: 1,
      max: 3,
      unknownMembers: "Unknown scope(s)",
    }),
    kind: optional(oneOf("A kind.", ["a", "b"])),
    colour: optional(oneOf("A colour.", colours)),
    rate: optional(nullable(integer({ description: "A rate; null is unlimited.", min: 1, max: 9 }))),
    flagged: optional(boolean("A flag.")),
    targets: optional(array(item, { description: "Targets.", min: 0, max: 2 })),
    slug: optional(slug),
    url: optional(
      matching({ description: "A URL.", lengthMax: 30, pattern: /^https?:\/\/\S+$/, problem: "must be an http URL" }),
    ),
    owner: optional(nameOrId("A name or an id.", 5)),
    budget: optional(nullable(dollars("A budget."))),
    settings: optional(nullable(jsonObject("Settings.", 40))),
    auth: optional(
      discriminatedUnion(
        {
          none: {},
          basic: { user: string({ description: "A name.", lengthMax: 5 }), id: optional(boolean("A flag.")) },
        },
        "Who asks.",
      ),
    ),
    ...page,
  }),
  run: async ({ input }) => await Promise.resolve({ ...input }),
});

function nested(levels: number): unknown {
  return levels === 0 ? [] : [nested(levels - 1)];
}

const initiator = { actor: "admin_key:test", ipAddress: "", project: null, traceparent: "" };
const call = async (input: JsonObject) =>
  await operation.call(
    { input, initiator, projectType: "", isForNamedProjects: false, signal: AbortSignal.timeout(60_000) },
    {},
  );
const good = { name: "ab", scopes: ["chat"] };

test("defaults are filled in, and null counts as absent unless its schema admits null", async () => {
  expect(await call(good)).toEqual({ ...good, limit: 50 });
  expect(await call({ ...good, cursor: null, flagged: null, rate: null })).toEqual({ ...good, limit: 50, rate: null });
});

test.each<[JsonObject, string]>([
  [{}, "Missing required argument: name"],
  [{ ...good, name: null }, "Missing required argument: name"],
  [{ ...good, name: 1 }, "name must be string"],
  [{ ...good, name: "  " }, "name must not be empty"],
  [{ ...good, name: "a\nb" }, "name must not have control characters"],
  [{ ...good, name: "a\ud800" }, "name must not have control characters"],
  [{ ...good, name: "abcdef" }, "name must have at most 5 characters"],
  [{ ...good, scopes: ["chat", "x", "y"] }, "Unknown scope(s): x, y"],
  [{ ...good, scopes: [] }, "scopes must have from 1 to 3 items"],
  [{ ...good, scopes: "chat" }, "scopes must be array"],
  [{ ...good, kind: "c" }, "Invalid kind: c"],
  [{ ...good, colour: "colur.t" }, "Invalid colour: colur.t. Did you mean 'colour.t'?"],
  [{ ...good, colour: "grey" }, "Invalid colour: grey"],
  [{ ...good, colour: 19 }, "Invalid colour: 19"],
  [{ ...good, rate: 10 }, "rate must be from 1 to 9"],
  [{ ...good, rate: "x" }, "rate must be integer or null"],
  [{ ...good, flagged: "yes" }, "flagged must be boolean"],
  [{ ...good, targets: [{ model: "a" }, { model: 5 }] }, "targets[1].model must be string"],
  [{ ...good, targets: [{}] }, "Missing required argument: targets[0].model"],
  [{ ...good, flaged: true }, "Unknown argument: flaged. Did you mean 'flagged'?"],
  [{ ...good, targets: [{ model: "a", modle: "a" }] }, "Unknown argument: targets[0].modle. Did you mean 'model'?"],
  [{ ...good, zzz: 1 }, "Unknown argument: zzz"],
  [{ zzz: 1, nmae: "ab" }, "Missing required argument: name. Unknown argument: nmae. Did you mean 'name'?"],
  [{ zzz: 1 }, "Missing required argument: name. Unknown argument: zzz"],
  [
    { ...good, targets: [{ modle: "a" }] },
    "Missing required argument: targets[0].model. Unknown argument: targets[0].modle. Did you mean 'model'?",
  ],
  [{ ...good, slug: "A" }, "slug must match ^[a-z0-9][a-z0-9-]{0,62}$"],
  [{ ...good, slug: "mcp" }, "slug must not be one of chat, mcp, v1"],
  [{ ...good, slug: "" }, "slug must not be empty"],
  [{ ...good, slug: "a".repeat(64) }, "slug must have at most 63 characters"],
  [{ ...good, url: "ftp://a" }, "url must be an http URL"],
  [{ ...good, owner: 1.5 }, "owner must be string or integer"],
  [{ ...good, owner: "" }, "owner must not be empty"],
  [{ ...good, owner: "a\0" }, "owner must not have control characters"],
  [{ ...good, budget: 0.000_000_1 }, "budget must have at most 6 decimals"],
  [{ ...good, budget: -1 }, "budget must be from 0 to 1000000000"],
  [{ ...good, budget: "1" }, "budget must be number or null"],
  [{ ...good, settings: [] }, "settings must be object or null"],
  [{ ...good, settings: { a: "\0" } }, "settings must not have NUL characters or unpaired surrogates"],
  [{ ...good, settings: { "\ud800": 1 } }, "settings must not have NUL characters or unpaired surrogates"],
  [{ ...good, settings: { a: [JSON.parse('{"__proto__":1}')] } }, "settings must not have a member named __proto__"],
  [{ ...good, settings: { a: [Number.POSITIVE_INFINITY] } }, "settings must not have numbers beyond 1.8e308"],
  [{ ...good, settings: { a: "x".repeat(40) } }, "settings must have at most 40 characters as JSON text"],
  [{ ...good, settings: { a: nested(70) } }, "settings must not be nested more than 64 levels deep"],
  [{ ...good, auth: "none" }, "auth must be object"],
  [{ ...good, auth: {} }, "Missing required argument: auth.type"],
  [{ ...good, auth: { type: "digest" } }, "Invalid auth.type: digest"],
  [{ ...good, auth: { type: "basic" } }, "Missing required argument: auth.user"],
  [{ ...good, auth: { type: "basic", user: null } }, "Missing required argument: auth.user"],
  [{ ...good, auth: { type: "basic", user: 5 } }, "auth.user must be string"],
  [{ ...good, auth: { type: "none", user: "a" } }, "Unknown argument: auth.user"],
  [{ ...good, __proto__: null, constructor: 1 }, "Unknown argument: constructor"],
  [{ ...good, ["x".repeat(10_000)]: 1 }, `Unknown argument: ${"x".repeat(200)}…`],
])("%j is refused: %s", async (input, message) => {
  await expect(call(input)).rejects.toMatchObject({ code: "invalid_argument", message });
});

test("arguments are accepted if and only if the published schema admits them", async () => {
  const admits = new Ajv({ strict: false }).compile(operation.inputSchema);
  const some = fc.oneof(fc.string({ maxLength: 6 }), fc.integer({ min: -1, max: 11 }), fc.boolean());
  const auth = fc.record({ type: fc.constantFrom("none", "basic", "x"), user: some }, { requiredKeys: [] });
  const word = fc.constantFrom("chat", "mcp", "a", "http://a");
  const member = fc.oneof(some, word, fc.record({ model: some }), auth);
  const value = fc.oneof(member, fc.array(member, { maxLength: 4 }));
  const names = ["name", "scopes", "kind", "rate", "flagged", "targets", "limit", "cursor", "other"];
  names.push("slug", "url", "owner", "budget", "settings", "auth");
  const input = fc
    .dictionary(fc.constantFrom(...names), value)
    .chain((given) => fc.constantFrom(given, { ...good, ...given }));
  await fc.assert(
    fc.asyncProperty(input, async (given) => {
      const taken = await call(given).then(
        () => true,
        (err: unknown) => !isGatewayError(err),
      );
      expect(taken).toBe(admits(given));
    }),
    { numRuns: 2_000 },
  );
});

test.each<[JsonObject, string | undefined]>([
  [{ one: "a", third: "c" }, undefined],
  [{ other: "b", third: "c", fourth: "d" }, undefined],
  [{ one: "a", other: null, third: "c" }, undefined],
  [{ third: "c" }, "Missing required argument: one or other"],
  [{ one: "a", other: "b", third: "c" }, "Send either one or other, not both."],
  [{ one: "a" }, "Missing required argument: third or fourth"],
  [{ onee: "a", third: "c" }, "Unknown argument: onee. Did you mean 'one'?"],
  [{ one: 1, other: "b" }, "one must be string"],
])("%j is judged across its arguments: %s", (given, problem) => {
  const text = () => optional(string({ description: "A text.", lengthMax: 5 }));
  const members = object({ one: text(), other: text(), third: text(), fourth: text() });
  const check = createArgumentsCheck(atLeastOneOf(exactlyOneOf(members, "one", "other"), "third", "fourth"));
  if (problem === undefined) check(given);
  else expect(() => check(given)).toThrow(expect.objectContaining({ code: "invalid_argument", message: problem }));
});

test("null is kept inside free-form settings, and counts as absent inside records", async () => {
  const settings = { a: null, b: [null, { c: null }] };
  const given = { ...good, settings, auth: { type: "basic", user: "ann", id: null } };
  expect(await call(given)).toMatchObject({ settings, auth: { type: "basic", user: "ann" } });
});

test("the published schema has none of this package's private keywords", () => {
  expect(JSON.stringify(operation.inputSchema)).not.toMatch(/x-|discriminator/);
});

test("arguments are not changed", async () => {
  const given = Object.freeze({ ...good, cursor: null });
  await call(given);
  expect(given).toEqual({ ...good, cursor: null });
});

test("a schema is compiled for its first call, and a large one where it is defined", () => {
  // A type unknown to JSON Schema, which compilation rejects.
  const faulty = (description: string) => object({ name: { ...string({ description, lengthMax: 5 }), type: "strin" } });
  const check = createArgumentsCheck(faulty("A name."));
  expect(() => check({ name: "a" })).toThrow("schema is invalid");
  expect(() => createArgumentsCheck(faulty("A name. ".repeat(3_000)))).toThrow("schema is invalid");
});
