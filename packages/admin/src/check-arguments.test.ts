import { isGatewayError } from "@gatehouse/errors";
import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  defineOperation,
  flag,
  integer,
  type JsonObject,
  list,
  nullable,
  oneOf,
  optional,
  page,
  record,
  text,
} from "./index.ts";

const item = record({ model: text({ description: "A model.", lengthMax: 3 }) });
const operation = defineOperation({
  name: "svc_test",
  description: "For tests.",
  access: { right: "read", scope: "project" },
  input: record({
    name: text({ description: "A name.", lengthMax: 5 }),
    scopes: list(oneOf("A scope.", ["chat", "mcp"]), {
      description: "Scopes.",
      min: 1,
      max: 3,
      unknownMembers: "Unknown scope(s)",
    }),
    kind: optional(oneOf("A kind.", ["a", "b"])),
    rate: nullable(integer({ description: "A rate; null is unlimited.", min: 1, max: 9 })),
    flagged: optional(flag("A flag.")),
    targets: optional(list(item, { description: "Targets.", min: 0, max: 2 })),
    ...page,
  }),
  run: async ({ input }) => await Promise.resolve({ ...input }),
});

const origin = { actor: "admin_key:test", ipAddress: "", project: null, traceparent: "" };
const call = async (input: JsonObject) =>
  await operation.call({ input, origin, signal: AbortSignal.timeout(60_000) }, {});
const good = { name: "ab", scopes: ["chat"] };

test("defaults are filled in, and null counts as absent where it means nothing", async () => {
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
  [{ ...good, rate: 10 }, "rate must be from 1 to 9"],
  [{ ...good, rate: "x" }, "rate must be integer or null"],
  [{ ...good, flagged: "yes" }, "flagged must be boolean"],
  [{ ...good, targets: [{ model: "a" }, { model: 5 }] }, "targets[1].model must be string"],
  [{ ...good, targets: [{}] }, "Missing required argument: targets[0].model"],
  [{ ...good, flaged: true }, "Unknown argument: flaged. Did you mean 'flagged'?"],
  [{ ...good, targets: [{ model: "a", modle: "a" }] }, "Unknown argument: targets[0].modle. Did you mean 'model'?"],
  [{ ...good, zzz: 1 }, "Unknown argument: zzz"],
  [{ ...good, __proto__: null, constructor: 1 }, "Unknown argument: constructor"],
  [{ ...good, ["x".repeat(10_000)]: 1 }, `Unknown argument: ${"x".repeat(200)}…`],
])("%j is refused: %s", async (input, message) => {
  await expect(call(input)).rejects.toMatchObject({ code: "invalid_argument", message });
});

test("what the published schema admits is taken, and what it refuses is refused", async () => {
  const admits = new Ajv({ strict: false }).compile(operation.inputSchema);
  const some = fc.oneof(fc.string({ maxLength: 6 }), fc.integer({ min: -1, max: 11 }), fc.boolean());
  const member = fc.oneof(some, fc.constantFrom("chat", "mcp", "a"), fc.record({ model: some }));
  const value = fc.oneof(member, fc.array(member, { maxLength: 4 }));
  const names = ["name", "scopes", "kind", "rate", "flagged", "targets", "limit", "cursor", "other"];
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

test("arguments are not changed", async () => {
  const given = Object.freeze({ ...good, cursor: null });
  await call(given);
  expect(given).toEqual({ ...good, cursor: null });
});
